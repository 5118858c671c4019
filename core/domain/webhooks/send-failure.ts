// Why an attempt to send a webhook got no answer. A delivery stores the sentence, in English for
// the API; pages say it in the language of their reader.

export const sendFailures = {
  not_public: 'the host has an address that is not public',
  no_host: 'the host name does not exist',
  not_resolved: 'the host name could not be resolved',
  connection_refused: 'the connection was refused',
  connection_closed: 'the connection was closed before the answer',
  unreachable: 'the host cannot be reached',
  connection_slow: 'the connection timed out',
  certificate: 'the TLS certificate is not trusted',
  handshake: 'the TLS handshake failed',
  headers_large: 'the headers of the answer are too large',
  not_http: 'the answer is not valid HTTP',
  stopped: 'sending was stopped',
  host_stopped: 'the sending host stopped during the attempt',
  subscription_deleted: 'subscription deleted',
  /** Followed by the time. */
  no_answer: 'no answer came within',
  /** Followed by a code, if there is one. */
  failed: 'the request failed',
} as const;

export type SendFailure = keyof typeof sendFailures;

/** The failure of a stored sentence, and what follows it; null for the text of another version. */
export function sendFailureOf(
  sentence: string,
): { readonly failure: SendFailure; readonly detail: string } | null {
  const failures = Object.keys(sendFailures) as SendFailure[];
  const failure = failures.find((one) => sentence.startsWith(sendFailures[one]));
  if (failure === undefined) return null;
  return { failure, detail: sentence.slice(sendFailures[failure].length).trim() };
}
