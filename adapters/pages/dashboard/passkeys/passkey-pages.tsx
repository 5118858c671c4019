// Passkeys of a person: entering with one, adding, renaming and removing them. The script asks for
// the options when its button is pressed, because a challenge is short-lived; the answer of the
// browser is a field of the form.
import { z } from 'zod';
import { PASSKEY_NAME_LENGTH_MAX, type Passkey } from '../../../../core/domain/access/passkey.js';
import { expectFound, isCode } from '../../../../core/errors.js';
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
import { ButtonForm, Form, Submit } from '../../kit/components.js';
import { TextField } from '../../kit/fields.js';
import { type PageAnswer, type PageContext, pageRow, seeOther } from '../../kit/page-route.js';
import { idIn } from '../../kit/pages/declared-pages.js';
import { textAs } from '../../kit/pages/form-page.js';
import type { DashboardContent } from '../dashboard-layout.js';
import { type DashboardScene, localeOfCall } from '../dashboard-scene.js';
import { dashboardTexts } from '../dashboard-texts.js';
import { type MemberCall, personPages } from '../member-pages.js';
import { endFormer } from '../sign-in-pages.js';
import { PasskeyRefused, passkeyPaths } from './passkey-parts.js';

/** An answer with the longest key that is taken is a third of it. */
const answer = z.string().max(8 * 1024);
const answerForm = z.object({ answer });
const addForm = z.object({ answer, name: z.string().max(PASSKEY_NAME_LENGTH_MAX) });

const open = { subject: 'dashboard', auth: 'none', csrf: 'none', limit: 'none' } as const;
const fresh = { scope: 'none', proof: 'change_passkeys' } as const;
const onePath = '/passkeys/{passkeyId}';

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
  pageRow({ ...open, method: 'POST', path: passkeyPaths.enter, form: answerForm, handler: enter }),
  personPages.file(
    { path: '/passkeys/options', access: fresh, background: true },
    async ({ deps }, { visit }) => json(await askToAdd(deps, visit.signedIn)),
  ),
  personPages.view({
    path: '/passkeys/add',
    access: fresh,
    load: async () => null,
    show: addScreen,
  }),
  personPages.action({ path: '/passkeys/add', access: fresh, form: addForm, run: add }),
  ...personPages.form({
    path: onePath,
    access: fresh,
    back: () => '/sessions',
    load: readOne,
    typed: ({ name }) => ({ name }),
    // Without a name it has the usual one.
    fields: ({ texts: { passkeys: words, common } }) => ({
      name: textAs({
        label: common.name,
        hint: words.nameHint,
        max: PASSKEY_NAME_LENGTH_MAX,
        problem: words.nameHint,
        read: (name) => name || words.usualName,
      }),
    }),
    show: (scene, { id }) => ({
      title: scene.texts.passkeys.one,
      lede: scene.texts.passkeys.removeLede,
      place: null,
      crumbs: [<ToSessions scene={scene} />],
      submit: scene.texts.common.save,
      around: (form) => [
        form,
        <ButtonForm to={`passkeys/${id}/remove`} class="actions" look="danger">
          {scene.texts.passkeys.remove}
        </ButtonForm>,
      ],
    }),
    async save({ deps }, { visit }, { subject, values }) {
      await renamePasskey(deps, visit.signedIn, subject.id, values.name);
      return { to: '/sessions', done: 'passkey_renamed' };
    },
  }),
  personPages.action({
    path: `${onePath}/remove`,
    access: fresh,
    async run({ deps }, call) {
      await removePasskey(deps, call.visit.signedIn, idIn(call, 'passkeyId'), localeOfCall(call));
      return { to: '/sessions', done: 'passkey_removed' };
    },
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

async function enter(context: PageContext, call: AccessCall<z.infer<typeof answerForm>>) {
  const { visit, base, form } = call;
  try {
    const token = await enterByPasskey(context.deps, visit?.signedIn ?? null, form.answer);
    return await signedIn({ sessionCookie: 'member', entered: endFormer }, context, call, token);
  } catch (error) {
    return refusal(context, error, visit === null ? base : `${base}/confirm`);
  }
}

function ToSessions({ scene: { texts, view } }: { readonly scene: DashboardScene }) {
  return <a href={`${view.path}/sessions`}>{texts.sessions.heading}</a>;
}

function addScreen(scene: DashboardScene): DashboardContent {
  const words = scene.texts.passkeys;
  const { add: to, addOptions: options } = passkeyPaths;
  return {
    title: words.add,
    lede: words.addLede,
    place: null,
    crumbs: [<ToSessions scene={scene} />],
    body: [
      <PasskeyRefused />,
      <noscript>
        <p>{words.needsScript}</p>
      </noscript>,
      <p hidden data-no-passkeys>
        {words.noneHere}
      </p>,
      <Form to={to} class="card stack" passkey={{ kind: 'create', options, failed: words.failed }}>
        <TextField
          name="name"
          label={scene.texts.common.name}
          hint={words.nameHint}
          value={words.usualName}
          maxLength={PASSKEY_NAME_LENGTH_MAX}
        />
        <Submit>{words.add}</Submit>
      </Form>,
    ],
  };
}

async function add(context: PageContext, call: MemberCall<z.infer<typeof addForm>>) {
  const { answer } = call.form;
  const locale = localeOfCall(call);
  // The browser has made it by now, also without a name.
  const name = call.form.name.trim() || dashboardTexts[locale].passkeys.usualName;
  try {
    await addPasskey(context.deps, call.visit.signedIn, { answer, name, locale });
  } catch (error) {
    return refusal(context, error, `${call.base}/passkeys/add`);
  }
  return { to: '/sessions', done: 'passkey_added' } as const;
}

async function readOne({ deps }: PageContext, call: MemberCall): Promise<Passkey> {
  const id = idIn(call, 'passkeyId');
  return expectFound((await listPasskeys(deps, call.visit.signedIn)).find((one) => one.id === id));
}
