// Rules about the checks of a connection, for an operator: what is sound is not reported as a
// defect, what is defective is, and looking changes nothing.
import assert from 'node:assert/strict';
import type { PartnerCheck } from '../../core/ports/partner.js';
import type { PartnerHarness, RuleCheck } from './conformance-harness.js';

export function connectionRules(inboundUrl: string, check: RuleCheck): void {
  check('a sound connection has no critical finding, and a check changes nothing', async (at) => {
    const first = await checksOf(at, inboundUrl);
    assert.deepEqual(
      first.filter(({ severity }) => severity === 'critical'),
      [],
    );
    const names = first.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.length > 0 && first.every(({ detail }) => detail.trim() !== ''));
    assert.deepEqual(await checksOf(at, inboundUrl), first);
    assert.deepEqual(at.messages(), []);
  });

  check('messages that would arrive elsewhere are found', async (at) => {
    const sound = await checksOf(at, inboundUrl);
    const elsewhere = await checksOf(at, 'https://elsewhere.example/messages');
    const found = elsewhere.filter(
      ({ name, severity }) =>
        severity !== 'ok' && sound.some((one) => one.name === name && one.severity === 'ok'),
    );
    assert.ok(found.length > 0);
  });
}

async function checksOf(
  { partner }: PartnerHarness,
  inboundUrl: string,
): Promise<readonly PartnerCheck[]> {
  assert.ok(partner.checks !== undefined, 'the partner has checks');
  return partner.checks({ inboundUrl });
}
