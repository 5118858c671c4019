// Refusals on the dashboard as pages. An unknown address and one of another organization look
// alike.
import type { ErrorCode, PonteError } from '../../../core/errors.js';
import { ButtonLink } from '../kit/components.js';
import { frameOfRefusal, type RefusalPlace } from '../kit/frame-of-call.js';
import type { PageAnswer } from '../kit/page-route.js';
import { dashboardPage } from './dashboard-layout.js';
import { PRODUCTION_PATH } from './setup/getting-started-pages.js';

const kinds: Partial<Record<ErrorCode, 'notFound' | 'forbidden' | 'live' | 'unsure'>> = {
  NotFound: 'notFound',
  MethodNotAllowed: 'notFound',
  InsufficientScope: 'forbidden',
  ProductionAccessNotApproved: 'live',
  // A write may have been stored.
  StoreUnavailable: 'unsure',
  InternalError: 'unsure',
};

export function dashboardError({ code, status }: PonteError, where: RefusalPlace): PageAnswer {
  const kind = kinds[code] ?? 'other';
  const view = {
    ...frameOfRefusal(where),
    done: null,
    docs: null,
    query: new URLSearchParams(),
    organization: null,
    person: null,
    role: null,
    timeZone: 'UTC',
    readNeeds: async () => null,
    modePaths: null,
  } as const;
  return dashboardPage(
    view,
    ({ texts }) => ({
      title: texts.error[`${kind}Heading`],
      place: null,
      body: (
        <div class="card stack">
          <p>{texts.error[`${kind}Text`]}</p>
          <p class="actions">
            {kind === 'live' ? (
              <ButtonLink href={requestPage(where)} look="primary" text={texts.error.liveAsk} />
            ) : null}
            <ButtonLink href={homeOf(where)}>{texts.error.home}</ButtonLink>
          </p>
        </div>
      ),
    }),
    status,
  );
}

/** The request of the organization in the path; getting started, if it was made. */
function requestPage(where: RefusalPlace): string {
  return `${where.prefix}/dashboard/${orgIdIn(where)}/test${PRODUCTION_PATH}`;
}

/** The home of the organization in the path, in test mode: live mode may be closed. */
function homeOf(where: RefusalPlace): string {
  const orgId = orgIdIn(where);
  return `${where.prefix}/dashboard${orgId === '' ? '' : `/${orgId}/test`}`;
}

/** Empty on a page of no organization, and at its home, which may be refused itself. */
function orgIdIn({ path }: RefusalPlace): string {
  const [, orgId = ''] = /^\/dashboard\/(org_\w+)\/(?:live|test\/.)/.exec(path) ?? [];
  return orgId;
}
