// The PIX destination of the organization: typed twice, sent to the settlement partner, and shown
// masked from then on. The key is on no page and in no address.
import type { VNode } from 'preact';
import { z } from 'zod';
import {
  changeState,
  type DestinationChange,
} from '../../../../core/domain/parties/destination-change.js';
import type { OrganizationProfile } from '../../../../core/domain/parties/organization.js';
import { isCode } from '../../../../core/errors.js';
import { readStanding } from '../../../../core/usecases/access/sessions.js';
import { configurePayout } from '../../../../core/usecases/parties/organizations.js';
import { listOwnChanges } from '../../../../core/usecases/parties/payout-changes.js';
import { Button, Form, Note, Scroll } from '../../kit/components.js';
import { type FieldError, TextField } from '../../kit/fields.js';
import { memberRow, type PageAnswer, type PageContext, seeOther } from '../../kit/page-route.js';
import { type DashboardContent, dashboardPage } from '../dashboard-layout.js';
import { type DashboardScene, useDashboard, viewOf, withDone } from '../dashboard-scene.js';
import { actorOf, type MemberCall, TENANT_ROOT, tenantOfCall } from '../member-page.js';
import { BackToStart, START_PATH, startPath } from './getting-started-pages.js';

const path = `${TENANT_ROOT}${START_PATH}/pix`;
const row = { scope: 'org:write', proof: 'fresh' } as const;
const pixForm = z.object({
  pixKey: z.string().max(1_000),
  again: z.string().max(1_000),
  holder: z.string().max(1_000),
});

export const pixPages = [
  memberRow({
    ...row,
    method: 'GET',
    path,
    form: 'none',
    handler: (context, call) => showPix(context, call, { holder: null, errors: [] }),
  }),
  memberRow({ ...row, method: 'POST', path, form: pixForm, handler: setPix }),
];

/** What was typed and not taken. A key is typed again. */
interface Refused {
  readonly holder: string | null;
  readonly errors: readonly ('noKey' | 'differs' | 'noHolder' | 'refused')[];
}

interface Pix {
  readonly profile: OrganizationProfile;
  /** How long a change is held; test mode holds nothing. */
  readonly holdHours: number;
  /** Newest first. */
  readonly changes: readonly DestinationChange[];
  readonly holder: string;
  readonly errors: Refused['errors'];
}

async function showPix(
  context: PageContext,
  call: MemberCall,
  { holder, errors }: Refused,
): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const [{ organization, profile }, changes] = await Promise.all([
    readStanding(deps, tenant),
    listOwnChanges(deps, tenant),
  ]);
  const holdHours = tenant.mode === 'live' ? profile.payoutHoldHours : 0;
  const pix: Pix = { profile, holdHours, changes, holder: holder ?? organization.name, errors };
  const status = errors.length === 0 ? 200 : 422;
  return dashboardPage(viewOf(context, call), (scene) => pixScreen(scene, pix), status);
}

async function setPix(
  context: PageContext,
  call: MemberCall<z.infer<typeof pixForm>>,
): Promise<PageAnswer> {
  const { deps } = context;
  const tenant = tenantOfCall(call);
  const pixKey = call.form.pixKey.trim();
  const holder = call.form.holder.trim();
  const again = (...errors: Refused['errors']) => showPix(context, call, { holder, errors });
  if (pixKey === '') return again('noKey');
  if (pixKey !== call.form.again.trim()) return again('differs');
  if (holder === '') return again('noHolder');
  try {
    const destination = { pixKey, accountHolderName: holder };
    await configurePayout(deps, tenant, destination, actorOf(call).memberId);
  } catch (error) {
    if (isCode(error, 'ValidationError') || isCode(error, 'KybNotApproved')) {
      return again('refused');
    }
    throw error;
  }
  return seeOther(withDone(startPath(context, tenant), 'pix_set'));
}

const fieldOf = {
  noKey: 'pixKey',
  differs: 'again',
  noHolder: 'holder',
  refused: 'pixKey',
} as const;

function pixScreen(scene: DashboardScene, pix: Pix): DashboardContent {
  const { texts, view } = scene;
  const words = texts.setup.pix;
  const { profile, holdHours, changes } = pix;
  const errors: readonly FieldError[] = pix.errors.map((error) => ({
    field: fieldOf[error],
    text: words[error],
  }));
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
            <PixForm errors={errors} holder={pix.holder} />
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

function PixForm({
  errors,
  holder,
}: {
  readonly errors: readonly FieldError[];
  readonly holder: string;
}): VNode {
  const { texts } = useDashboard();
  const words = texts.setup.pix;
  const errorAt = (name: string) => errors.find(({ field }) => field === name)?.text;
  return (
    <Form to="getting-started/pix" class="card stack">
      <TextField
        name="pixKey"
        label={words.key}
        hint={words.keyHint}
        error={errorAt('pixKey')}
        maxLength={140}
        spellcheck={false}
      />
      <TextField
        name="again"
        label={words.again}
        hint={words.againHint}
        error={errorAt('again')}
        maxLength={140}
        spellcheck={false}
      />
      <TextField
        name="holder"
        label={words.holder}
        value={holder}
        error={errorAt('holder')}
        maxLength={200}
      />
      <div class="actions">
        <Button look="primary">{words.save}</Button>
      </div>
    </Form>
  );
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
