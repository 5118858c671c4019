// Whether a request for an unknown address comes from a person with a browser, who gets a page.
import type { IncomingMessage } from 'node:http';

/** What programs call: they get an error body. */
const ofPrograms = /^\/(?:v1|\.well-known|docs-json|healthz|readyz)(?:[/?]|$)/;

/**
 * Browsers name HTML. Java's HttpURLConnection names it too, by default, but with an `*` that
 * is no media range: https://bugs.openjdk.org/browse/JDK-8163921.
 */
export function asksForPage({ method, url = '', headers }: IncomingMessage): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || ofPrograms.test(url)) return false;
  const ranges = (headers.accept ?? '').split(',', 20).map((range) => {
    const [name = '', ...parameters] = range.split(';', 4).map((part) => part.trim());
    return {
      name: name.toLowerCase(),
      isRefused: parameters.some((one) => /^q=0(\.0*)?$/.test(one)),
    };
  });
  if (ranges.some(({ name }) => name === '*')) return false;
  return ranges.some(({ name, isRefused }) => name === 'text/html' && !isRefused);
}
