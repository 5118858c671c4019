// Which codings of an answer a client reads, by its Accept-Encoding (RFC 9110, 12.5.3).

/** More codings than any client names. */
const CODINGS_MAX = 20;
const qualityForm = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i;

/** A client that names no coding gets none; one that refuses all gets the answer as it is, too. */
export function readsGzip(acceptEncoding: string): boolean {
  // A quality above zero has another digit.
  const accepted = new Map(
    acceptEncoding.split(',', CODINGS_MAX).map((part) => {
      const [name = '', ...parameters] = part.split(';', 4);
      const given = parameters.flatMap((one) => qualityForm.exec(one)?.[1] ?? []);
      return [name.trim().toLowerCase(), /[1-9]/.test(given[0] ?? '1')];
    }),
  );
  return accepted.get('gzip') ?? accepted.get('*') ?? false;
}
