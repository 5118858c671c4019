// The webhooks of peers: signed and posted to the receiver with undici, over as many kept
// connections as Ponte opens to a receiver that keeps up. Anything but 2xx fails.
import { createHmac, randomUUID } from 'node:crypto';
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

/**
 * Sends stored deliveries, and gives outcomes of the same turn to `store`: status, status of the
 * answer, error, end, id.
 */
export function deliverer(receiver, store) {
  const post = poster(receiver);
  const secret = randomUUID();
  let ended = [];
  const note = (...outcome) => {
    if (ended.length === 0) {
      setImmediate(() => {
        const outcomes = ended;
        ended = [];
        store(outcomes);
      });
    }
    ended.push(outcome);
  };
  return async (id, body) => {
    const t = Math.floor(Date.now() / 1_000);
    const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
    const at = () => new Date().toISOString();
    await post({ body, headers: { signature: `t=${t},v1=${v1}`, 'delivery-id': id } }).then(
      (status) => note('delivered', status, null, at(), id),
      (error) => note('failed', null, String(error), at(), id),
    );
  };
}
