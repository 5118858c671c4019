// Sign-in: a one-time link that an operator's key signed (`ponte operator console-link`), and
// sign-out.
import { z } from 'zod';
import { CONSOLE_COMMAND, CONSOLE_ROOT } from '../../../core/domain/access/registered-operator.js';
import { isCode, PonteError } from '../../../core/errors.js';
import { endSession } from '../../../core/usecases/access/open-sessions.js';
import {
  openConsoleLink,
  readConsoleLink,
} from '../../../core/usecases/access/operator-sessions.js';
import { audited } from '../../../core/usecases/service/audit-log.js';
import { type AccessCall, openedLink } from '../kit/access-pages.js';
import { Form, Submit } from '../kit/components.js';
import {
  operatorRow,
  type PageAnswer,
  type PageContext,
  pageRow,
  seeOther,
} from '../kit/page-route.js';
import { returnPath } from '../kit/return-after-sign-in.js';
import { type ConsoleCall, consolePage, consoleViewOf } from './console-layout.js';

const open = { subject: 'console', auth: 'none', csrf: 'none', limit: 'none' } as const;
const enterPath = `${CONSOLE_ROOT}/enter`;

export const consoleSignInPages = [
  pageRow({ ...open, method: 'GET', path: CONSOLE_ROOT, form: 'none', handler: showSignIn }),
  pageRow({ ...open, method: 'GET', path: enterPath, form: 'none', handler: showEnter }),
  pageRow({ ...open, method: 'POST', path: enterPath, form: z.object({}), handler: enter }),
  operatorRow({
    method: 'POST',
    path: `${CONSOLE_ROOT}/sign-out`,
    form: z.object({}),
    handler: signOut,
  }),
];

const command = `ponte ${CONSOLE_COMMAND}`;

async function showSignIn(context: PageContext, call: AccessCall): Promise<PageAnswer> {
  const opened = openedLink(call);
  if (opened !== null) return opened;
  if (call.operator !== null) return seeOther(`${call.base}/money`);
  return consolePage(consoleViewOf(context, call), {
    title: 'Sign in',
    place: null,
    body: (
      <div class="card stack">
        <p>Operators sign in with a link that their key signed. At your machine, run:</p>
        <p>
          <code>{command}</code>
        </p>
        <p>It is valid for five minutes, and opens once.</p>
      </div>
    ),
  });
}

/** Looking at a link changes nothing: a button uses it. */
async function showEnter(context: PageContext, call: AccessCall): Promise<PageAnswer> {
  const token = call.cookies.get('link');
  if (token === undefined) return seeOther(call.base);
  const link = await readConsoleLink(context.deps, token);
  const view = consoleViewOf(context, call);
  if (link?.state !== 'valid') {
    const title = link?.state === 'used' ? 'The link was used' : 'The link is not valid';
    const body = (
      <div class="card stack">
        <p>A link opens one session, within five minutes. Ask for another one:</p>
        <p>
          <code>{command}</code>
        </p>
      </div>
    );
    return consolePage(view, { title, place: null, body }, 410);
  }
  return consolePage(view, {
    title: `Sign in as ${link.actor.name}`,
    place: null,
    body: (
      <Form to="enter" class="card stack">
        <p>What you do in this session has your name, and the signature of this link.</p>
        <Submit>Sign in</Submit>
      </Form>
    ),
  });
}

async function enter(context: PageContext, call: AccessCall): Promise<PageAnswer> {
  const linkToken = call.cookies.get('link') ?? '';
  const link = await readConsoleLink(context.deps, linkToken);
  try {
    if (link === null) throw new PonteError('InvalidSignInLink');
    const { kind, id } = link.actor;
    const author = { actor: { kind, id }, action: enterPath, signed: link.signed };
    const { token } = await openConsoleLink(audited(context.deps, author), linkToken);
    return seeOther(returnPath(call.base, call.cookies), [
      { name: 'operator', value: token, path: call.base },
      { name: 'link', value: '', path: call.base },
      { name: 'back', value: '', path: call.base },
    ]);
  } catch (error) {
    // The page says why.
    if (isCode(error, 'InvalidSignInLink')) return seeOther(`${call.base}/enter`);
    throw error;
  }
}

async function signOut({ deps }: PageContext, call: ConsoleCall): Promise<PageAnswer> {
  await endSession(deps, call.operator.session);
  return seeOther(call.base, [{ name: 'operator', value: '', path: call.base }]);
}
