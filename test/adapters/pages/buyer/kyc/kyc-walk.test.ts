// The KYC form over HTTP, without scripts: a person and a company fill it in, an owner adds a part
// by a link, a phone adds files, and each session sees its part only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, MINUTE_MS } from '../../../../../core/domain/base/instant.js';
import { startBuyerKyc } from '../../../../../core/usecases/parties/kyc.js';
import {
  jpeg,
  ownerFiles,
  pdf,
  typedAddress,
  typedCompany,
  typedOwner,
  typedPerson,
} from '../../../../support/scenes/form-scene.js';
import { commandsOf, hosted, partyReported } from '../../../../support/scenes/kyc-scene.js';
import { phoneCodes } from '../../../../support/scenes/phone-codes.js';
import { pageSite, signedInByMail, type Visitor } from '../../visitor.js';

function photo(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(jpeg);
}

async function fillPerson(visitor: Visitor, path: string): Promise<void> {
  await visitor.open(`${path}/kyc/type`);
  await visitor.send('/kyc/type', { entityType: 'individual' });
  assert.equal(visitor.shown?.path, `${path}/kyc/person`);
  await visitor.send('/kyc/person', typedPerson);
  assert.equal(visitor.shown?.path, `${path}/kyc/documents`);
  for (const kind of ['id_doc_front', 'selfie']) {
    await visitor.upload(`/kyc/file/${kind}`, photo(), 'image/jpeg');
    assert.equal(visitor.shown?.status, 200);
  }
}

test('a person fills the form in and sends it, and the payment goes on', async (t) => {
  const site = await pageSite(t);
  const { id, path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  assert.equal(visitor.shown?.heading, 'Tell us who is paying');
  await fillPerson(visitor, path);
  await visitor.open(`${path}/kyc/review`);
  assert.match(visitor.words, /31 January 1990.*Portugal.*Received.*Send for verification/);
  await visitor.send('/kyc/review');
  assert.equal(visitor.shown?.path, path);
  assert.equal(visitor.shown?.heading, 'We are checking your details');
  await visitor.open(`${path}/kyc/person`);
  assert.equal(visitor.shown?.path, path);
  await site.world.settle();
  assert.equal(await site.world.statusOf(id), 'buyer_kyc_approved');
});

test('a page with problems shows what was typed, keeps what is right, and names the rest', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  await visitor.open(`${path}/kyc/type`);
  await visitor.send('/kyc/type');
  assert.equal(visitor.shown?.status, 422);
  await visitor.send('/kyc/type', { entityType: 'individual' });
  const typed = { ...typedPerson, firstName: '<b>Ana</b>', dateOfBirthYear: '2029' };
  await visitor.send('/kyc/person', typed);
  const { status = 0, text = '' } = visitor.shown ?? {};
  assert.equal(status, 422);
  assert.match(text, /<title>Error: /);
  assert.match(text, /href="#dateOfBirth"[^>]*>Date of birth: The person must be 18 or older\./);
  assert.match(text, /value="&lt;b>Ana&lt;\/b>"/);
  assert.match(text, /value="2029"/);
  await visitor.open(`${path}/kyc/person`);
  assert.match(visitor.shown?.text ?? '', /value="&lt;b>Ana&lt;\/b>"/);
  await visitor.open(`${path}/kyc/review`);
  assert.match(visitor.words, /Date of birth: Missing/);
  assert.ok(!visitor.words.includes('Send for verification'));
});

test('a form sent after the session ended says that it is not saved, and sign-in leads back', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  await visitor.open(`${path}/kyc/type`);
  await visitor.send('/kyc/type', { entityType: 'individual' });
  await visitor.send('/kyc/person', { firstName: 'Ana' });
  site.world.advanceClock(HOUR_MS);
  await visitor.send('/kyc/person', typedPerson);
  assert.equal(visitor.shown?.path, `${path}?notice=unsaved`);
  assert.match(visitor.words, /What you entered on it is not saved, everything before is\./);
  const again = async () => {
    await visitor.send('/link');
    await visitor.open(await site.newestLink());
    await visitor.send('/enter');
    return visitor.shown?.path;
  };
  assert.equal(await again(), `${path}/kyc/person`);
  assert.match(visitor.shown?.text ?? '', /value="Ana"/);
  assert.doesNotMatch(visitor.shown?.text ?? '', /value="Lima"/);
  // The way back is used once, and a page that was only read loses nothing.
  site.world.advanceClock(HOUR_MS);
  await visitor.open(path);
  assert.equal(await again(), path);
  site.world.advanceClock(HOUR_MS);
  await visitor.open(`${path}/kyc/documents`);
  assert.equal(visitor.shown?.path, `${path}?notice=signed_out`);
  assert.equal(await again(), `${path}/kyc/documents`);
});

test('a refused file is explained at its row, and the form without its token stores nothing', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  await visitor.open(`${path}/kyc/type`);
  await visitor.send('/kyc/type', { entityType: 'individual' });
  await visitor.open(`${path}/kyc/documents`);
  const heic = Uint8Array.from(Buffer.from('\0\0\0\x18ftypheic', 'latin1'));
  await visitor.upload('/kyc/file/selfie', heic, 'image/heic');
  assert.match(visitor.words, /Photo of the face: This photo is in the format HEIC/);
  await visitor.upload('/kyc/file/selfie', Uint8Array.from(pdf), 'application/pdf');
  assert.match(visitor.words, /Photo of the face: This must be a photo/);
  await visitor.upload('/kyc/file/selfie', Uint8Array.from([]), 'image/jpeg');
  assert.match(visitor.words, /Photo of the face: Choose a file first/);
  const stored = () =>
    site.world.deps.store.run((tx) => tx.documents.list({ kept: true, beforeId: null, limit: 9 }));
  const body = new FormData();
  body.set('csrf', 'another');
  body.set('file', new Blob([photo()], { type: 'image/jpeg' }), 'photo.jpg');
  const response = await visitor.request('POST', `${path}/kyc/file/selfie`, body);
  assert.match(response.headers.get('location') ?? '', /notice=out_of_date/);
  for (const text of ['', '--x\r\n', '--x--\r\n']) {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const cut = await visitor.request('POST', `${path}/kyc/file/selfie`, text, headers);
    assert.ok([303, 400].includes(cut.status), `${cut.status}`);
  }
  assert.deepEqual(
    (await stored()).filter(({ status }) => status === 'stored'),
    [],
  );
});

async function fillCompany(visitor: Visitor, path: string): Promise<void> {
  await visitor.open(`${path}/kyc/type`);
  await visitor.send('/kyc/type', { entityType: 'business' });
  await visitor.send('/kyc/company', typedCompany);
  await visitor.send('/kyc/address', typedAddress);
  assert.equal(visitor.shown?.path, `${path}/kyc/owners`);
  await visitor.send('/kyc/owners/add');
}

test('a company’s owner adds a part by a mailed link; the clerk sees that it is done, no more', async (t) => {
  const site = await pageSite(t);
  const { id, path } = await site.newPayment();
  const clerk = await signedInByMail(site, path);
  await fillCompany(clerk, path);
  await clerk.send('/kyc/owners/0', {
    firstName: 'Priya',
    lastName: 'Raman',
    role: typedOwner.role,
  });
  assert.equal(clerk.shown?.status, 422);
  await clerk.send('/kyc/owners/0/ask', { email: 'nobody' });
  assert.match(clerk.words, /Enter an email address/);
  await clerk.send('/kyc/owners/0/ask', { email: 'joão@owner.example' });
  assert.match(clerk.words, /no accents or other letters/);
  await clerk.send('/kyc/owners/0/ask', { email: 'priya@owner.example' });
  assert.match(clerk.words, /Priya Raman .*Asked on .*not done yet/);
  const owner = site.visitor({ language: 'pt-BR' });
  await owner.open(await site.newestLink());
  await owner.send('/enter');
  assert.match(owner.shown?.path ?? '', /^\/owner\/[\w-]+\/0\/kyc\/owner$/);
  assert.match(owner.shown?.heading ?? '', /^Seus dados para Harbor & Pine Roasters/);
  await owner.send('/kyc/owner', typedOwner);
  assert.match(owner.shown?.path ?? '', /\/kyc\/owner\/papers$/);
  await owner.send('/kyc/owner/papers', typedOwner);
  await owner.upload('/kyc/file/selfie', Uint8Array.from(pdf), 'application/pdf');
  const refused = /href="#selfieFile-0">[^<]*: Deve ser uma foto/;
  assert.match(owner.shown?.text ?? '', refused);
  assert.match(owner.shown?.text ?? '', /id="selfieFile-0" [^>]*aria-invalid/);
  for (const kind of ownerFiles) await owner.upload(`/kyc/file/${kind}`, photo(), '');
  await owner.send('/kyc/done');
  assert.match(owner.words, /Sua parte está completa/);
  await clerk.open(`${path}/kyc/documents`);
  assert.match(clerk.words, /Priya Raman .*Done on/);
  assert.ok(!clerk.shown?.text.includes('/kyc/owners/0/file/'));
  for (const file of ['incorporation_doc', 'proof_of_ownership_doc']) {
    await clerk.upload(`/kyc/file/${file}`, Uint8Array.from(pdf), 'application/pdf');
  }
  await clerk.open(`${path}/kyc/review`);
  assert.match(clerk.words, /Filled in by priya@owner\.example/);
  assert.ok(!clerk.shown?.text.includes('1990'));
  await clerk.send('/kyc/review');
  assert.equal(clerk.shown?.heading, 'We are checking your details');
  await site.world.settle();
  assert.equal(await site.world.statusOf(id), 'buyer_kyc_approved');
  await owner.open(owner.shown?.path ?? '');
  assert.equal(owner.shown?.heading, 'Seus dados estão completos');
});

test('an owner’s session opens nothing else, and the payment’s page does not know it', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const clerk = await signedInByMail(site, path);
  await fillCompany(clerk, path);
  await clerk.send('/kyc/owners/0/ask', { email: 'priya@owner.example' });
  const owner = site.visitor();
  await owner.open(await site.newestLink());
  await owner.send('/enter');
  const [base = ''] = (owner.shown?.path ?? '').split('/kyc/owner');
  const flow = base.split('/')[2] ?? '';
  await clerk.open(`${path}/kyc/owners/0`);
  await clerk.send('/kyc/owners/0/take-back');
  await owner.open(`${base}/kyc/owner`);
  assert.match(owner.shown?.heading ?? '', /asks who you are$/);
  for (const target of [`/kyc/${flow}/kyc/company`, `${path}/kyc/company`]) {
    await owner.open(target);
    assert.ok(!owner.shown?.text.includes(typedCompany.taxId), target);
    assert.ok(!owner.shown?.text.includes('Sign out'), target);
  }
});

test('a form is handed over, renewed once a minute, and taken back', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const clerk = await signedInByMail(site, path);
  await clerk.open(`${path}/kyc/type`);
  await clerk.send('/kyc/hand-over', { email: 'director@company.example' });
  assert.match(clerk.words, /Sent to director@company\.example on/);
  const director = site.visitor();
  await director.open(await site.newestLink());
  await director.send('/enter');
  assert.equal(director.shown?.heading, 'Tell us who you are');
  await clerk.send('/kyc/hand-over');
  assert.match(clerk.words, /No email was sent, because many were asked for\. Ask again at/);
  site.world.advanceClock(MINUTE_MS);
  await clerk.send('/kyc/hand-over');
  assert.doesNotMatch(clerk.words, /No email was sent/);
  const renewed = await site.newestLink();
  await clerk.send('/kyc/hand-over/take-back');
  assert.doesNotMatch(clerk.words, /director@/);
  await director.open(director.shown?.path ?? '');
  assert.match(director.shown?.heading ?? '', /asks who you are$/);
  await director.open(renewed);
  assert.equal(director.shown?.heading, 'This link no longer works');
  const before = site.world.mails.length;
  for (let asked = 0; asked < 20; asked += 1) {
    await clerk.open(`${path}/kyc/type`);
    await clerk.send('/kyc/hand-over', { email: `stranger-${asked}@other.example` });
    assert.match(clerk.words, /No email was sent/);
  }
  await site.world.settle();
  assert.equal(site.world.mails.length, before, 'taking it back does not end the pause');
});

test('a phone adds files by the code once, reads whose form it is, and sees nothing else', async (t) => {
  const site = await pageSite(t);
  const { path } = await site.newPayment();
  const desk = await signedInByMail(site, path);
  await desk.open(`${path}/kyc/type`);
  await desk.send('/kyc/type', { entityType: 'individual' });
  await desk.open(`${path}/kyc/documents`);
  const codes = phoneCodes(site.world.deps);
  await desk.send('/kyc/phone');
  assert.match(desk.shown?.text ?? '', /<svg viewBox="0 0 \d+ \d+" class="qr" role="img"/);
  assert.equal(desk.shown?.status, 200);
  const link = codes.linkIn(desk.shown?.text ?? '');
  const [phone, second] = [site.visitor(), site.visitor()];
  const whose =
    /Form of Person b•••@example\.com Asked for by .* For a payment to Acme Ltda Not your/;
  for (const visitor of [phone, second]) {
    await visitor.open(link);
    assert.equal(visitor.shown?.heading, 'Add files from this phone?');
    assert.match(visitor.words, whose);
  }
  await phone.send('/kyc/phone/enter');
  assert.equal(phone.shown?.heading, 'Add your files');
  assert.match(phone.words, whose);
  await second.send('/kyc/phone/enter');
  assert.equal(second.shown?.heading, 'This code no longer works');
  await second.open(link);
  assert.equal(second.shown?.heading, 'This code no longer works', 'it was used');
  const other = await site.newPayment();
  await desk.send('/kyc/phone');
  const fresh = codes.linkIn(desk.shown?.text ?? '');
  await second.open(fresh.replace(path, other.path));
  assert.equal(second.shown?.heading, 'This code no longer works', 'of another payment');
  await phone.upload('/kyc/file/selfie', photo(), 'image/jpeg');
  assert.match(phone.words, /Photo of the face .*Received/);
  assert.ok(!/USD|Sign out|Steps/.test(phone.words), phone.words);
  for (const target of ['', '/kyc/person', '/kyc/review']) {
    await phone.open(`${path}${target}`);
    assert.match(phone.shown?.heading ?? '', /asks you to pay/, target);
  }
  await desk.open(`${path}/kyc/documents?phone`);
  assert.match(desk.words, /Photo of the face .*Received/);
});

test('what the partner asks to correct is named on the page of the payment, and answered', async (t) => {
  const site = await pageSite(t);
  const { world } = site;
  const { id, path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  await fillPerson(visitor, path);
  await visitor.open(`${path}/kyc/review`);
  await visitor.send('/kyc/review');
  const orders = await commandsOf(world);
  const corrections = [{ field: 'selfie', reason: 'It is blurred.' }];
  const report = { status: 'verifying', reason: null, corrections } as const;
  const [order] = orders;
  assert.ok(order !== undefined);
  await partyReported(world.deps, order, order.partnerRef ?? '', report);
  await visitor.open(path);
  assert.equal(visitor.shown?.heading, 'Please correct one thing');
  assert.match(visitor.words, /Photo of the face: It is blurred\./);
  await visitor.open(`${path}/kyc/documents`);
  assert.match(visitor.shown?.text ?? '', /href="#selfieFile">Photo of the face: It is blurred\./);
  await visitor.upload('/kyc/file/selfie', photo(), 'image/jpeg');
  await visitor.open(`${path}/kyc/review`);
  await visitor.send('/kyc/review');
  await world.settle();
  assert.equal((await commandsOf(world)).length, 2);
  assert.equal(await world.statusOf(id), 'buyer_kyc_approved');
});

test('the form without a payment is opened by its own link', async (t) => {
  const site = await pageSite(t);
  const { world, tenant } = site;
  const { flowId } = await startBuyerKyc(world.deps, tenant, hosted);
  const path = `/kyc/${flowId}`;
  const visitor = site.visitor({ language: 'es' });
  await visitor.open(path);
  assert.match(visitor.shown?.heading ?? '', /pregunta quién es usted$/);
  await visitor.send('/link');
  await visitor.open(await site.newestLink());
  await visitor.send('/enter');
  await fillPerson(visitor, path);
  await visitor.open(`${path}/kyc/review`);
  await visitor.send('/kyc/review');
  assert.equal(visitor.shown?.path, path);
  assert.match(visitor.shown?.heading ?? '', /Estamos verificando sus datos/);
  await visitor.send('/sign-out');
  assert.match(visitor.shown?.heading ?? '', /pregunta quién es usted$/);
});
