// The PIX destination of the organization: typed twice, sent to the settlement partner, and shown
// masked from then on. The key is on no page and in no address.
import type { VNode } from 'preact';
import type { z } from 'zod';
import {
  changeState,
  type DestinationChange,
} from '../../../../core/domain/parties/destination-change.js';
import type { OrganizationProfile } from '../../../../core/domain/parties/organization.js';
import { isCode } from '../../../../core/errors.js';
import { readStanding } from '../../../../core/usecases/access/sessions.js';
import { configurePayout } from '../../../../core/usecases/parties/organizations.js';
import { listOwnChanges } from '../../../../core/usecases/parties/payout-changes.js';
import { Note, Scroll } from '../../kit/components.js';
import { memberRow, type PageAnswer, type PageContext, seeOther } from '../../kit/page-route.js';
import { withDone } from '../../kit/pages/declared-pages.js';
import {
  checkPix,
  PixForm,
  type PixProblem,
  type PixWords,
  pixErrors,
  pixForm,
} from '../../kit/pix-form.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf } from '../dashboard-scene.js';
import { actorOf, type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-page.js';
import { BackToStart, START_PATH, startPath } from './getting-started-pages.js';

const path = `${TENANT_ROOT}${START_PATH}/pix`;
const row = { scope: 'org:write', proof: 'fresh' } as const;
export const pixPages = [
  memberRow({
    ...row,
    method: 'GET',
    path,
    form: 'none',
    handler: (context, call) => showPix(context, call, { holder: null, problem: null }),
  }),
  memberRow({ ...row, method: 'POST', path, form: pixForm, handler: setPix }),
];

/** What was typed and not taken. A key is typed again. */
interface Refused {
  readonly holder: string | null;
  readonly problem: PixProblem | null;
}

interface Pix {
  readonly profile: OrganizationProfile;
  /** How long a change is held; test mode holds nothing. */
  readonly holdHours: number;
  /** Newest first. */
  readonly changes: readonly DestinationChange[];
  readonly holder: string;
  readonly problem: PixProblem | null;
}

async function showPix(
  context: PageContext,
  call: MemberCall,
  { holder, problem }: Refused,
): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const [{ organization, profile }, changes] = await Promise.all([
    readStanding(deps, tenant),
    listOwnChanges(deps, tenant),
  ]);
  const holdHours = tenant.mode === 'live' ? profile.payoutHoldHours : 0;
  const pix: Pix = { profile, holdHours, changes, holder: holder ?? organization.name, problem };
  const status = problem === null ? 200 : 422;
  return dashboardPage(viewOf(context, call), (scene) => pixScreen(scene, pix), status);
}

async function setPix(
  context: PageContext,
  call: MemberCall<z.infer<typeof pixForm>>,
): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const again = (problem: PixProblem) =>
    showPix(context, call, { holder: call.form.holder.trim(), problem });
  const { destination, problem } = checkPix(call.form);
  if (destination === null) return again(problem);
  try {
    await configurePayout(deps, tenant, destination, actorOf(call).memberId);
  } catch (error) {
    if (isCode(error, 'ValidationError') || isCode(error, 'KybNotApproved')) {
      return again('refused');
    }
    throw error;
  }
  return seeOther(withDone(startPath(context, tenant), 'pix_set'));
}

function pixScreen(scene: DashboardScene, pix: Pix): DashboardContent {
  const { texts, view } = scene;
  const words = texts.setup.pix;
  const { profile, holdHours, changes } = pix;
  const errors = pixErrors(pixWords(words), pix.problem);
  const isChange = profile.destinationRef !== null;
  return {
    title: words.heading,
    lede: words.lede,
    place: 'gettingStarted',
    crumbs: <BackToStart />,
    errors,
    body: (
      <>
        <div class="cols">
          {profile.status === 'approved' ? (
            <PixForm
              to="getting-started/pix"
              words={pixWords(words)}
              errors={errors}
              holder={pix.holder}
            />
          ) : (
            <Note look="warn">
              <p>{words.notYet}</p>
            </Note>
          )}
          {isChange && view.mode === 'live' ? (
            <Note>
              <p>{words.heldLede(holdHours)}</p>
            </Note>
          ) : null}
        </div>
        {changes.length === 0 ? null : <Changes changes={changes} />}
      </>
    ),
  };
}

/** An owner may change a destination. */
function pixWords(words: DashboardScene['texts']['setup']['pix']): PixWords {
  return { ...words, taken: words.refused };
}

function Changes({ changes }: { readonly changes: readonly DestinationChange[] }): VNode {
  const { texts, format, view } = useDashboard();
  const words = texts.setup.pix;
  return (
    <section class="stack">
      <h2>{words.history}</h2>
      <Scroll label={words.history}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.destination}</th>
              <th scope="col">{words.changed}</th>
              <th scope="col">{words.effective}</th>
              <th scope="col">{words.state}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map((change) => (
              <tr>
                <th scope="row">{change.pixKeyShown}</th>
                <td class="when">{format.short(change.createdAtMs)}</td>
                <td class="when">{format.short(change.effectiveAtMs)}</td>
                <td>{words.states[changeState(change, view.nowMs)]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </section>
  );
}
