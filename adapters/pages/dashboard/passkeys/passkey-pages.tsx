// Passkeys of a person: entering with one, adding, renaming and removing them. The script asks for
// the options when its button is pressed, because a challenge is short-lived; the answer of the
// browser is a field of the form.
import { z } from 'zod';
import { PASSKEY_NAME_LENGTH_MAX, type Passkey } from '../../../../core/domain/access/passkey.js';
import { isCode, PonteError } from '../../../../core/errors.js';
import {
  addPasskey,
  askForPasskey,
  askToAdd,
  enterByPasskey,
  listPasskeys,
  removePasskey,
  renamePasskey,
} from '../../../../core/usecases/access/passkeys.js';
import { type AccessCall, signedIn } from '../../kit/access-pages.js';
import { Button, Form } from '../../kit/components.js';
import { TextField } from '../../kit/fields.js';
import {
  memberRow,
  type PageAnswer,
  type PageContext,
  pageRow,
  seeOther,
} from '../../kit/page-route.js';
import { withDone } from '../../kit/pages/declared-pages.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, localeOfCall, sceneOf, viewOf } from '../dashboard-scene.js';
import { endFormer } from '../entrance-pages.js';
import type { MemberCall } from '../member-page.js';
import { PasskeyRefused, passkeyPaths } from './passkey-parts.js';

/** An answer with the longest key that is taken is a third of it. */
const answer = z.string().max(8 * 1024);
const name = z.string().max(PASSKEY_NAME_LENGTH_MAX);
const answerForm = z.object({ answer });
const addForm = z.object({ answer, name });
const nameForm = z.object({ name });

const open = { subject: 'dashboard', auth: 'none', csrf: 'none', limit: 'none' } as const;
const own = { scope: 'none', proof: 'session' } as const;
const fresh = { scope: 'none', proof: 'fresh' } as const;
const onePath = '/dashboard/passkeys/{passkeyId}';

export const passkeyPages = [
  pageRow({
    ...open,
    method: 'GET',
    path: passkeyPaths.options,
    background: true,
    form: 'none',
    handler: async ({ deps }, { visit }) =>
      json(await askForPasskey(deps, visit?.signedIn ?? null)),
  }),
  pageRow({
    ...open,
    method: 'POST',
    path: passkeyPaths.enter,
    form: answerForm,
    handler: enter,
  }),
  memberRow({
    ...fresh,
    method: 'GET',
    path: passkeyPaths.addOptions,
    background: true,
    form: 'none',
    handler: async ({ deps }, { visit }) => json(await askToAdd(deps, visit.signedIn)),
  }),
  memberRow({
    ...fresh,
    method: 'GET',
    path: passkeyPaths.add,
    form: 'none',
    handler: async (context, call) => dashboardPage(viewOf(context, call), addScreen),
  }),
  memberRow({ ...fresh, method: 'POST', path: passkeyPaths.add, form: addForm, handler: add }),
  memberRow({ ...fresh, method: 'GET', path: onePath, form: 'none', handler: showOne }),
  memberRow({ ...own, method: 'POST', path: onePath, form: nameForm, handler: rename }),
  memberRow({
    ...fresh,
    method: 'POST',
    path: `${onePath}/remove`,
    form: z.object({}),
    handler: remove,
  }),
];

function json(value: object): PageAnswer {
  const headers = { 'content-type': 'application/json' };
  return { status: 200, headers, cookies: [], body: JSON.stringify(value) };
}

/** Leads back to the page of the form, which says so. Other errors are thrown. */
function refusal({ deps }: PageContext, error: unknown, path: string): PageAnswer {
  if (!isCode(error, 'InvalidPasskey')) throw error;
  deps.log.info('passkey refused', { reason: error.message });
  return seeOther(`${path}?refused`);
}

async function enter(
  context: PageContext,
  call: AccessCall<z.infer<typeof answerForm>>,
): Promise<PageAnswer> {
  const { visit, base, form } = call;
  try {
    const token = await enterByPasskey(context.deps, visit?.signedIn ?? null, form.answer);
    return await signedIn({ sessionCookie: 'member', entered: endFormer }, context, call, token);
  } catch (error) {
    return refusal(context, error, visit === null ? base : `${base}/confirm`);
  }
}

function addScreen({ texts, view }: DashboardScene): DashboardContent {
  const words = texts.passkeys;
  const { add: to, addOptions: options } = passkeyPaths;
  return {
    title: words.add,
    lede: words.addLede,
    place: null,
    crumbs: <a href={`${view.path}/sessions`}>{texts.sessions.heading}</a>,
    body: (
      <>
        <PasskeyRefused />
        <noscript>
          <p>{words.needsScript}</p>
        </noscript>
        <p hidden data-no-passkeys>
          {words.noneHere}
        </p>
        <Form
          to={to}
          class="card stack"
          passkey={{ kind: 'create', options, failed: words.failed }}
        >
          <NameField value={words.usualName} label={words.name} hint={words.nameHint} />
          <div class="actions">
            <Button look="primary">{words.add}</Button>
          </div>
        </Form>
      </>
    ),
  };
}

function NameField(props: {
  readonly value: string;
  readonly label: string;
  readonly hint: string;
}) {
  return <TextField {...props} name="name" maxLength={PASSKEY_NAME_LENGTH_MAX} />;
}

/** Without a name it has the usual one: the browser has made it by now. */
function nameIn(context: PageContext, call: MemberCall<z.infer<typeof nameForm>>): string {
  const { texts } = sceneOf(viewOf(context, call));
  return call.form.name.trim() || texts.passkeys.usualName;
}

async function add(
  context: PageContext,
  call: MemberCall<z.infer<typeof addForm>>,
): Promise<PageAnswer> {
  const given = { answer: call.form.answer, name: nameIn(context, call) };
  try {
    const locale = localeOfCall(call);
    await addPasskey(context.deps, call.visit.signedIn, { ...given, locale });
  } catch (error) {
    return refusal(context, error, `${call.base}/passkeys/add`);
  }
  return seeOther(withDone(`${call.base}/sessions`, 'passkey_added'));
}

function idIn({ params }: MemberCall): string {
  return params['passkeyId'] ?? '';
}

async function showOne(context: PageContext, call: MemberCall): Promise<PageAnswer> {
  const passkeys = await listPasskeys(context.deps, call.visit.signedIn);
  const passkey = passkeys.find(({ id }) => id === idIn(call));
  if (passkey === undefined) throw new PonteError('NotFound');
  return dashboardPage(viewOf(context, call), (scene) => oneScreen(scene, passkey));
}

function oneScreen({ texts, view }: DashboardScene, passkey: Passkey): DashboardContent {
  const words = texts.passkeys;
  return {
    title: words.one,
    lede: words.removeLede,
    place: null,
    crumbs: <a href={`${view.path}/sessions`}>{texts.sessions.heading}</a>,
    body: (
      <>
        <Form to={`passkeys/${passkey.id}`} class="card stack">
          <NameField value={passkey.name} label={words.name} hint={words.nameHint} />
          <div class="actions">
            <Button look="primary">{words.save}</Button>
          </div>
        </Form>
        <Form to={`passkeys/${passkey.id}/remove`} class="actions">
          <Button look="danger">{words.remove}</Button>
        </Form>
      </>
    ),
  };
}

async function rename(
  context: PageContext,
  call: MemberCall<z.infer<typeof nameForm>>,
): Promise<PageAnswer> {
  const { signedIn: person } = call.visit;
  await renamePasskey(context.deps, person, idIn(call), nameIn(context, call));
  return seeOther(withDone(`${call.base}/sessions`, 'passkey_renamed'));
}

async function remove({ deps }: PageContext, call: MemberCall): Promise<PageAnswer> {
  await removePasskey(deps, call.visit.signedIn, idIn(call), localeOfCall(call));
  return seeOther(withDone(`${call.base}/sessions`, 'passkey_removed'));
}
