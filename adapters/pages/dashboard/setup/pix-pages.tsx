// The PIX destination of the organization: typed twice, sent to the settlement partner, and shown
// masked from then on. The key is on no page and in no address.
import {
  changeState,
  type DestinationChange,
} from '../../../../core/domain/parties/destination-change.js';
import { answered } from '../../../../core/errors.js';
import { readStanding } from '../../../../core/usecases/access/sessions.js';
import { configurePayout } from '../../../../core/usecases/parties/organizations.js';
import { listOwnChanges } from '../../../../core/usecases/parties/payout-changes.js';
import { Note } from '../../kit/components.js';
import { type RowColumns, Table } from '../../kit/pages/table.js';
import { destinationOf, pixFields } from '../../kit/pix/pix-form.js';
import { pixTexts } from '../../kit/pix/pix-texts.js';
import { ToPlace } from '../dashboard-layout.js';
import type { DashboardScene } from '../dashboard-scene.js';
import { actorOf, memberPages, tenantOfCall } from '../member-pages.js';
import { START_PATH } from './getting-started-pages.js';

export const pixPages = memberPages.form({
  path: `${START_PATH}/pix`,
  access: { scope: 'org:write', proof: 'change_payout' },
  back: () => START_PATH,
  async load({ deps }, call) {
    const tenant = tenantOfCall(call);
    const [standing, changes] = await Promise.all([
      readStanding(deps, tenant),
      listOwnChanges(deps, tenant),
    ]);
    return { ...standing, changes };
  },
  typed: ({ organization }) => ({ holder: organization.name }),
  fields: ({ view }) => pixFields(pixTexts[view.locale]),
  show(scene, { profile, changes }) {
    const { texts, view } = scene;
    const words = texts.setup.pix;
    const isChange = profile.destinationRef !== null;
    return {
      title: texts.setup.start.pix.heading,
      lede: words.lede,
      place: 'gettingStarted',
      crumbs: [<ToPlace of="gettingStarted" />],
      submit: pixTexts[view.locale].save,
      around: (form) => [
        <div class="cols">
          {profile.status === 'approved' ? form : <Note look="warn" text={words.notYet} />}
          {isChange && view.mode === 'live' ? (
            <Note text={words.heldLede(profile.payoutHoldHours)} />
          ) : null}
        </div>,
        changes.length === 0 ? null : (
          <section class="stack">
            <h2>{words.history}</h2>
            <Table label={words.history} rows={changes} columns={changeColumns(scene)} />
          </section>
        ),
      ],
    };
  },
  async save({ deps }, call, { scene, values }) {
    const { memberId } = actorOf(call);
    const problem = { field: 'pixKey', text: pixTexts[scene.view.locale].refused };
    const refused = () => ({ problem });
    return configurePayout(deps, tenantOfCall(call), destinationOf(values), memberId).then(
      () => ({ to: START_PATH, done: 'pix_set' }) as const,
      answered({ ValidationError: refused, KybNotApproved: refused }),
    );
  },
});

function changeColumns({ texts, format, view }: DashboardScene): RowColumns<DestinationChange> {
  const words = texts.setup.pix;
  const { short } = format;
  return ({ column, named }) => [
    named(words.destination, ({ pixKeyShown }) => pixKeyShown),
    column(words.changed, 'when', ({ createdAtMs }) => short(createdAtMs)),
    column(words.effective, 'when', ({ effectiveAtMs }) => short(effectiveAtMs)),
    column(texts.frame.state, (change) => words.states[changeState(change, view.nowMs)]),
  ];
}
