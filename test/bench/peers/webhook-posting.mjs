// Posts the webhook of a peer to the receiver with undici, over as many kept connections as Ponte
// opens to a receiver that keeps up, and returns the status. Anything but 2xx fails.
import { Pool } from 'undici';

export const CONCURRENCY = 256;

export function poster(url) {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections: CONCURRENCY, pipelining: 1 });
  return async ({ body, headers = {} }) => {
    const sent = { 'content-type': 'application/json', ...headers };
    const answer = await pool.request({ method: 'POST', path: pathname, headers: sent, body });
    await answer.body.dump();
    if (answer.statusCode >= 300) throw new Error(`answered ${answer.statusCode}`);
    return answer.statusCode;
  };
}
