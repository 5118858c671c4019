// Sign-in by a mailed link or code, the choice of an organization, the sessions of the
// person, and sign-out. These pages belong to no organization.
import { z } from 'zod';
import { PASSKEYS_MAX } from '../../../core/domain/access/passkey.js';
import type { Locale } from '../../../core/domain/base/locale.js';
import { listPasskeys } from '../../../core/usecases/access/passkeys.js';
import {
  endSessions,
  listMemberships,
  type SignedInPerson,
} from '../../../core/usecases/access/sessions.js';
import {
  type AccessCall,
  type AccessPage,
  accessRows,
  type LinkEnded,
  openedLink,
  typedAddress,
} from '../kit/access-pages.js';
import { CodeForm, EnterForm } from '../kit/code-form.js';
import { ButtonForm, ButtonLink, Form, foreign, Note, Submit } from '../kit/components.js';
import { TextField } from '../kit/fields.js';
import { type PageAnswer, type PageContext, pageRow, seeOther } from '../kit/page-route.js';
import { askedProof } from '../kit/return-after-sign-in.js';
import { actionNames } from '../letters/action-names.js';
import { type DashboardContent, dashboardPage } from './dashboard-layout.js';
import { type DashboardScene, localeOfCall, viewOf } from './dashboard-scene.js';
import { type MemberCall, personPages } from './member-pages.js';
import { EnterByPasskey, PasskeySection } from './passkeys/passkey-parts.js';
import { ownSessions, SessionTable } from './session-table.js';

const own = { scope: 'none', proof: 'session' } as const;

export const signInPages = [
  pageRow({
    subject: 'dashboard',
    method: 'GET',
    path: '/dashboard',
    auth: 'none',
    csrf: 'none',
    limit: 'none',
    form: 'none',
    handler: showSignIn,
  }),
  ...accessRows({
    subject: 'dashboard',
    root: '/dashboard',
    sessionCookie: 'member',
    asksAddress: true,
    pageOf: (call) => ({ kind: 'dashboard', address: typedAddress(call) }),
    localeOf: async (_, call) => localeOfCall(call),
    show: async (context, call, page) => showAccess(context, call, page),
    entered: endFormer,
  }),
  personPages.view({ path: '/confirm', access: own, load: readConfirmation, show: confirmScreen }),
  personPages.view({
    path: '/sessions',
    access: own,
    async load({ deps }, { visit: { signedIn } }) {
      const [sessions, passkeys] = await Promise.all([
        ownSessions(deps, signedIn),
        listPasskeys(deps, signedIn),
      ]);
      return { sessions, passkeys };
    },
    show: ({ texts }, { sessions, passkeys }) => ({
      title: texts.sessions.heading,
      lede: texts.sessions.lede,
      place: null,
      body: [
        <SessionTable sessions={sessions} />,
        <ButtonForm to="sessions" class="actions" values={{ session: 'all' }} look="danger">
          {texts.sessions.endAll}
        </ButtonForm>,
        <PasskeySection passkeys={passkeys} hasRoom={passkeys.length < PASSKEYS_MAX} />,
      ],
    }),
  }),
  personPages.action({
    path: '/sessions',
    access: own,
    form: z.object({ session: z.string().max(64) }),
    // One of the person's own sessions, or all of them. NotFound.
    async run({ deps }, { visit: { signedIn }, form: { session } }) {
      const all = { personId: signedIn.person.id, orgId: null };
      await endSessions(deps, all, session === 'all' ? null : session);
      return { to: '/sessions', done: 'session_ended' };
    },
  }),
  personPages.action({ path: '/sign-out', access: own, run: signOut }),
];

async function showSignIn(context: PageContext, call: AccessCall): Promise<PageAnswer> {
  const opened = openedLink(call);
  if (opened !== null) return opened;
  const { visit, query } = call;
  if (query.has('sent') && call.cookies.has('browser')) {
    return showAccess(context, call, { name: 'sent' });
  }
  if (visit === null) return dashboardPage(viewOf(context, call), askScreen);
  return chooseOrganization(context, call, visit.signedIn);
}

async function chooseOrganization(
  context: PageContext,
  call: AccessCall,
  signedIn: SignedInPerson,
): Promise<PageAnswer> {
  const found = await listMemberships(context.deps, signedIn);
  const choices = found.map(({ organization: { id, name, productionGrantedAtMs } }) => {
    const mode = productionGrantedAtMs === null ? 'test' : 'live';
    return { name, path: `${call.base}/${id}/${mode}` };
  });
  const [only, ...others] = choices;
  if (only !== undefined && others.length === 0) return seeOther(only.path);
  return dashboardPage(viewOf(context, call), ({ texts }) => ({
    title: texts.signIn.chooseHeading,
    place: null,
    body: (
      <ul class="card choices">
        {choices.map(({ name, path }) => (
          <li>
            <a href={path}>{foreign(name)}</a>
          </li>
        ))}
      </ul>
    ),
  }));
}

function askScreen({ texts }: DashboardScene): DashboardContent {
  return {
    title: texts.signIn.heading,
    lede: texts.signIn.lede,
    place: null,
    body: [
      <Form to="link" class="card stack">
        <TextField
          name="address"
          label={texts.signIn.address}
          type="email"
          autocomplete="email"
          maxLength={320}
          spellcheck={false}
        />
        <Submit>{texts.signIn.send}</Submit>
      </Form>,
      <EnterByPasskey>{texts.signIn.passkey}</EnterByPasskey>,
    ],
  };
}

function showAccess(context: PageContext, call: AccessCall, page: AccessPage): PageAnswer {
  return dashboardPage(viewOf(context, call), (scene) => {
    if (page.name === 'sent') return sentScreen(scene, typedAddress(call) ?? '');
    return page.name === 'enter' ? enterScreen(scene, page) : linkEndedScreen(scene, page);
  });
}

function sentScreen({ texts, view }: DashboardScene, address: string): DashboardContent {
  const error = view.notice === 'code_wrong' ? texts.notice.code_wrong : undefined;
  // A member who is signed in confirms: the words of a sign-in would be wrong.
  const isKnown = view.viewer?.email === address;
  return {
    title: texts.signIn.sentHeading,
    lede: isKnown ? texts.signIn.confirmSent(address) : texts.signIn.sentLede(address),
    place: null,
    errors: error === undefined ? [] : [{ field: 'code', text: error }],
    body: [
      <CodeForm mailbox={view.mailbox} error={error} />,
      <section class="stack-s">
        <h2>{texts.signIn.noMail}</h2>
        <p>{isKnown ? texts.signIn.confirmNoMail : texts.signIn.noMailText}</p>
        <p>
          <a href={isKnown ? `${view.path}/confirm` : view.path}>
            {isKnown ? texts.signIn.confirm : texts.signIn.again}
          </a>
        </p>
      </section>,
    ],
  };
}

function enterScreen(
  { texts, view }: DashboardScene,
  { email, auto, asksCode }: Extract<AccessPage, { name: 'enter' }>,
): DashboardContent {
  const error = view.notice === 'code_wrong' ? texts.notice.code_wrong : undefined;
  return {
    title: texts.signIn.enterHeading(email),
    place: null,
    errors: error === undefined ? [] : [{ field: 'code', text: error }],
    body: (
      <section class="card stack">
        <p>{view.viewer?.email === email ? texts.signIn.confirmEnter : texts.signIn.enterText}</p>
        <EnterForm {...{ asksCode, auto, error }} />
      </section>
    ),
  };
}

function linkEndedScreen({ texts, view }: DashboardScene, { cause }: LinkEnded): DashboardContent {
  return {
    title: texts.frame.linkEnded,
    lede: texts.signIn[cause],
    place: null,
    body: (
      <section class="card stack">
        <p>{texts.signIn.endedText}</p>
        <p class="actions">
          <ButtonLink href={view.path} look="primary" text={texts.signIn.heading} />
        </p>
      </section>
    ),
  };
}

/** A session that is not young proves again that the member is there. `late`: a form was sent. */
async function readConfirmation({ deps }: PageContext, call: MemberCall) {
  const { query, cookies } = call;
  const { signedIn } = call.visit;
  const proof = askedProof(cookies);
  const memberships = proof === null ? [] : await listMemberships(deps, signedIn);
  const organization = memberships.find((one) => one.organization.id === proof?.orgId);
  const actionOf = (locale: Locale) =>
    proof && actionNames[locale][proof.action](organization?.organization.name ?? '');
  const hasPasskeys = (await listPasskeys(deps, signedIn)).length > 0;
  const { email } = signedIn.person;
  return {
    email,
    actionOf,
    hasPasskeys,
    isRequired: query.has('passkey'),
    isLate: query.has('late'),
  };
}

function confirmScreen(
  { texts, view }: DashboardScene,
  {
    email,
    actionOf,
    hasPasskeys,
    isRequired,
    isLate,
  }: Awaited<ReturnType<typeof readConfirmation>>,
): DashboardContent {
  const words = texts.signIn;
  const required = hasPasskeys ? words.passkeyOnly : words.passkeyFirst;
  return {
    title: words.confirmHeading,
    lede: isRequired ? required : words.confirmText(email, actionOf(view.locale)),
    place: null,
    body: [
      isLate ? <Note look="warn" live text={words.confirmLate} /> : null,
      isRequired ? null : (
        <ButtonForm to="link" class="card actions" values={{ address: email }} look="primary">
          {words.confirm}
        </ButtonForm>
      ),
      isRequired && !hasPasskeys ? (
        <p class="actions">
          <ButtonLink to="passkeys/add">{texts.passkeys.add}</ButtonLink>
        </p>
      ) : null,
      hasPasskeys ? <EnterByPasskey>{words.confirmPasskey}</EnterByPasskey> : null,
    ],
  };
}

/** The session that this browser had before is of no use any more. */
export async function endFormer({ deps }: PageContext, { visit }: AccessCall): Promise<void> {
  if (visit === null) return;
  const { session } = visit.signedIn;
  await endSessions(deps, session, session.id);
}

async function signOut({ deps }: PageContext, { visit, base }: MemberCall): Promise<PageAnswer> {
  const { session } = visit.signedIn;
  await endSessions(deps, session, session.id);
  return seeOther(base, [{ name: 'member', value: '', path: '/' }]);
}
