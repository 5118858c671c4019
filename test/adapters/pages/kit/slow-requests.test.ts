// Forms and uploads that arrive slowly or never end: each is refused in time, as a refusal.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { pageRoutes } from '../../../../adapters/pages/page-routes.js';
import { anAccount } from '../../../support/samples/domain-samples.js';
import { jpeg } from '../../../support/scenes/form-scene.js';
import { memberToken, rootOf } from '../dashboard/dashboard-site.js';
import { type PageSite, pageSite, signedInByMail, type Visitor } from '../visitor.js';

const TIMEOUT_MS = 600;

function slowSite(t: TestContext, requestTimeoutMs = TIMEOUT_MS): Promise<PageSite> {
  return pageSite(t, {}, {}, { requestTimeoutMs });
}

function open(t: TestContext, { origin }: PageSite): Socket {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  t.after(() => socket.destroy());
  return socket;
}

/** The head of a POST whose body has more bytes than the test sends. */
function head(path: string, type: string, cookie = ''): string {
  return (
    `POST ${path} HTTP/1.1\r\nHost: pages.test\r\nContent-Type: ${type}\r\n` +
    `Cookie: ${cookie}\r\nContent-Length: 9000\r\n\r\n`
  );
}

function refusals({ world }: PageSite) {
  return world.log
    .filter(({ message, level }) => message.startsWith('page ') || level === 'error')
    .map(({ level, message, fields }) => [level, message, fields['code']]);
}

/** A buyer at the documents of the form. */
async function atDocuments(site: PageSite): Promise<{ visitor: Visitor; path: string }> {
  const { path } = await site.newPayment();
  const visitor = await signedInByMail(site, path);
  await visitor.open(`${path}/kyc/type`);
  await visitor.send('/kyc/type', { entityType: 'individual' });
  await visitor.open(`${path}/kyc/documents`);
  return { visitor, path: `${path}/kyc/file/selfie` };
}

/** The head of an upload, and its body up to the first bytes of the file. */
function upload({
  visitor,
  path,
  cookie = visitor.cookiesFor(path),
}: Awaited<ReturnType<typeof atDocuments>> & { readonly cookie?: string }) {
  const { csrf } = visitor;
  const field = `--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n${csrf}\r\n`;
  const file =
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n' +
    `Content-Type: image/jpeg\r\n\r\n${Buffer.from(jpeg).toString('latin1')}`;
  const type = 'multipart/form-data; boundary=x';
  return { head: head(path, type, cookie), field, file };
}

test('a form that does not arrive in time is a refusal, 408', async (t) => {
  const site = await slowSite(t);
  const { path } = await site.newPayment();
  const socket = open(t, site);
  socket.write(`${head(`${path}/link`, 'application/x-www-form-urlencoded')}a=`);
  assert.match(await text(socket), /^HTTP\/1\.1 408 /);
  assert.deepEqual(refusals(site), [['info', 'page refused', 'RequestTimeout']]);
});

test('a form whose client disconnects is no error', async (t) => {
  const site = await slowSite(t);
  const { path } = await site.newPayment();
  const socket = open(t, site);
  socket.write(`${head(`${path}/link`, 'application/x-www-form-urlencoded')}a=`);
  await once(socket, 'connect');
  socket.end();
  await once(socket.resume(), 'close');
  await site.visitor().open(path);
  assert.deepEqual(refusals(site), []);
});

test('an upload whose file does not begin in time is a refusal, 408', async (t) => {
  const site = await slowSite(t);
  const parts = upload(await atDocuments(site));
  for (const sent of [parts.head, parts.head + parts.field]) {
    const socket = open(t, site);
    socket.write(sent, 'latin1');
    assert.match(await text(socket), /^HTTP\/1\.1 408 /);
  }
  const expected = ['info', 'page refused', 'RequestTimeout'];
  assert.deepEqual(refusals(site), [expected, expected]);
});

test('a session has four uploads at a time', async (t) => {
  const site = await slowSite(t, 30_000);
  const parts = upload(await atDocuments(site));
  const sockets = Array.from({ length: 5 }, () => open(t, site));
  const answers = sockets.map(async (socket) => {
    socket.write(parts.head + parts.field + parts.file, 'latin1');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return { socket, status: answer.toString('latin1').slice(9, 12) };
  });
  const refused = await Promise.race(answers);
  assert.equal(refused.status, '429');
  const [another] = sockets.filter((socket) => socket !== refused.socket);
  assert.ok(another !== undefined);
  const sent = parts.field.length + parts.file.length;
  const rest = '\r\n--x--\r\n';
  another.write(`${' '.repeat(9_000 - sent - rest.length)}${rest}`, 'latin1');
  const accepted = answers[sockets.indexOf(another)];
  assert.equal((await accepted)?.status, '303');
  const next = open(t, site);
  next.write(parts.head + parts.field + parts.file, 'latin1');
  next.write(`${' '.repeat(9_000 - sent - rest.length)}${rest}`, 'latin1');
  assert.equal(((await once(next, 'data')) as [Buffer])[0].toString('latin1').slice(9, 12), '303');
});

test('each form with a file has four uploads at a time of one session', async (t) => {
  const multipart = pageRoutes.filter(({ form }) => form === 'multipart');
  const ofMembers = multipart
    .filter(({ auth, path }) => auth === 'member' && !path.includes('{kind}'))
    .map(({ path }) => path);
  assert.ok(ofMembers.length >= 3, `${ofMembers}`);
  for (const template of ofMembers) {
    const site = await slowSite(t, 30_000);
    const token = await memberToken(site, 'owner');
    const cookie = `ponte-member=${token}`;
    const owner = site.visitor({ headers: { cookie } });
    const { orgId, mode } = site.tenant;
    const accountId = 'acct_1';
    const seller = anAccount({ ...site.tenant, id: accountId });
    await site.world.deps.store.run(async (tx) => tx.accounts.insert(seller));
    const path = template
      .replace('{orgId}', orgId)
      .replace('{mode}', mode)
      .replace('{accountId}', accountId);
    await owner.open(`${rootOf(site)}/invoices/new`);
    const parts = upload({ visitor: owner, path, cookie });
    const sockets = Array.from({ length: 5 }, () => open(t, site));
    const refused = await Promise.race(
      sockets.map(async (socket) => {
        socket.write(parts.head + parts.field + parts.file, 'latin1');
        const [answer] = (await once(socket, 'data')) as [Buffer];
        return answer.toString('latin1').slice(9, 12);
      }),
    );
    assert.equal(refused, '429', template);
  }
});

test('a body that nothing reads ends in time, too', async (t) => {
  const site = await slowSite(t);
  const { path } = await site.newPayment();
  for (const [target, type] of [
    [`${path}/kyc/file/selfie`, 'multipart/form-data; boundary=x'],
    ['/v1/payments', 'application/json'],
  ] as const) {
    const socket = open(t, site);
    socket.write(head(target, type));
    assert.match(await text(socket), /^HTTP\/1\.1 (303|401) /);
  }
});
