// The event streams of open pages: of a payment, and of lists and home, which change with anything
// that has an event. A stream says only that something changed.
import { assert } from '../../../core/errors.js';
import { actIn, readMemberSession } from '../../../core/usecases/access/sessions.js';
import { readVersion } from '../../../core/usecases/hosted/page-watch.js';
import { readPayment } from '../../../core/usecases/payments/payments.js';
import { changeStream } from '../kit/change-stream.js';
import type { PageAnswer, PageContext } from '../kit/page-route.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { anyRole, type MemberCall, memberPages, tenantOfCall } from './member-pages.js';

const row = { access: { scope: anyRole, proof: 'session' }, background: true } as const;

export const changePages = [
  memberPages.file({ ...row, path: '/changes' }, async (context, call) =>
    changes(context, call, null),
  ),
  memberPages.file({ ...row, path: '/payments/{paymentId}/changes' }, async (context, call) => {
    const { deps } = context;
    const { payment } = await readPayment(deps, tenantOfCall(call), idIn(call, 'paymentId'));
    return changes(context, call, payment.id);
  }),
];

/** The path of the stream below that of the mode, with the version that the page shows. */
export async function liveOf(
  { deps }: PageContext,
  call: MemberCall,
  paymentId: string | null,
): Promise<string> {
  const version = await readVersion(deps, { ...tenantOfCall(call), id: paymentId });
  return `${paymentId === null ? '' : `payments/${paymentId}/`}changes?version=${version}`;
}

/** Streams are counted by person: other sessions of one open no more. */
function changes({ watch }: PageContext, call: MemberCall, id: string | null): PageAnswer {
  const tenant = tenantOfCall(call);
  const { query, visit, gone, freshDeps, cookies } = call;
  const shown = query.get('version');
  if (shown === null) return { status: 204, headers: {}, cookies: [], body: '' };
  const token = cookies.get('member');
  assert(token !== undefined, 'a member has a session');
  return changeStream(watch, gone, {
    watched: { ...tenant, id },
    sessionId: visit.signedIn.person.id,
    shown,
    isOpen: async () => {
      const deps = freshDeps();
      const signedIn = await readMemberSession(deps, token, { background: true });
      if (signedIn === null) return false;
      // Refused if the person is no member of the organization any more.
      return actIn(deps, signedIn, tenant).then(
        () => true,
        () => false,
      );
    },
  });
}
