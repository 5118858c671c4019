// The pages of error codes and of event types show the description, and nothing is missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorCodesOf, offTableCodes } from '../../../../adapters/http/protocol/route-errors.js';
import { routes } from '../../../../adapters/http/routes.js';
import { eventTypes } from '../../../../core/domain/payments/event.js';
import { catalogue } from '../../../../core/errors.js';
import { refusalOf, sharedSite } from '../checked-site.js';

const site = sharedSite();

test('each error code that a request may get has a page with its sentence, in the list', async () => {
  const codes = new Set([...routes.flatMap(errorCodesOf), ...offTableCodes]);
  const list = await site.call('GET', '/docs/errors');
  for (const code of codes) {
    assert.ok(list.text.includes(`href="errors/${code}"`), code);
    const { status, text, headers } = await site.call('GET', `/docs/errors/${code}`);
    assert.equal(status, 200, code);
    assert.match(headers['content-type'] ?? '', /^text\/html/);
    assert.ok(text.includes(`<h1>${code}</h1>`), code);
    const [sentence = ''] = catalogue[code].message.split(/[<`"&]/);
    assert.ok(text.includes(sentence), `${code}: ${sentence}`);
  }
});

test('the page of an error names the operations that answer with it', async () => {
  const { text } = await site.call('GET', '/docs/errors/SellerNotReady');
  assert.ok(text.includes('POST /v1/payment-intents<'));
  assert.ok(!text.includes('GET /v1/payments<'));
  const waits = await site.call('GET', '/docs/errors/RateLimitExceeded');
  assert.match(waits.text, /<code>retryAfter<\/code> seconds/);
});

test('each event type has a page with its properties and an example, in the list', async () => {
  const list = await site.call('GET', '/docs/events');
  for (const type of eventTypes) {
    assert.ok(list.text.includes(`href="events/${type}"`), type);
    const { status, text } = await site.call('GET', `/docs/events/${type}`);
    assert.equal(status, 200, type);
    assert.ok(text.includes('<code>externalEventId</code>'), type);
    assert.ok(text.includes(`&quot;event&quot;: &quot;${type}&quot;`), type);
  }
  const { text } = await site.call('GET', '/docs/events/invoice.created');
  assert.ok(text.includes('<td>string or null</td>'));
  const refund = await site.call('GET', '/docs/events/invoice.refunded');
  assert.ok(refund.text.includes('<code>refundAmount</code>'));
});

test('another code or type has no page', async () => {
  for (const path of ['errors/Nothing', 'errors/toString', 'events/invoice.x', 'events/toString']) {
    assert.equal(refusalOf(await site.call('GET', `/docs/${path}`)), '404 NotFound', path);
  }
});
