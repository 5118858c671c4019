// One call of the API of a running host: JSON in, JSON out, with any status.

/** An object of an answer; its fields are checked where they are read. */
export type Json = Readonly<Record<string, unknown>>;

export async function jsonCall(
  { url }: { readonly url: string },
  key: string,
  path: string,
  body?: unknown,
) {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const { status, headers } = response;
  return { status, headers, body: (await response.json()) as Json };
}
