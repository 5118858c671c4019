// Makes the requests of a run: valid ones, near misses, which differ from a valid one in one thing,
// and hostile ones, which no client sends by mistake.
import type { SeededRandom } from '../simulation/seeded-random.js';
import { SESSION_HEADER, signIn, signInOtherwise } from './credentials.js';
import type { Description, Parameter } from './described-operations.js';
import { ALLOWED_ORIGIN, type FuzzScene } from './fuzz-scene.js';
import { nearMiss } from './near-misses.js';
import { type Draft, setHeader } from './request-draft.js';
import { mutate } from './request-mutations.js';
import { type ValueMaker, validValue } from './schema-values.js';
import {
  meaningfulValues,
  type Plan,
  setParameter,
  validDraft,
  WAIT_MAX_SECONDS,
} from './valid-requests.js';

export type RequestKind = 'valid' | 'near miss' | 'hostile';

const TWICE_SHARE = 0.03;
/** The service refuses a longer wait at once. */
const SERVED_WAIT_MAX_SECONDS = 30;

export async function makeRequest(
  scene: FuzzScene,
  description: Description,
  random: SeededRandom,
  plan: Plan & { readonly kind: RequestKind },
): Promise<Draft> {
  const meaningful = meaningfulValues(scene, description, plan, random);
  const maker: ValueMaker = { random, description, meaningful };
  const draft = validDraft(maker, scene, plan);
  draft.notes.push(plan.kind);
  await signIn(draft, plan.client, random);
  if (plan.kind === 'near miss') await missNarrowly(maker, draft, plan);
  if (plan.kind === 'hostile') {
    const how = random.weighted({ credential: 5, foreign: 5, mutation: 12 });
    if (how === 'credential') await signInOtherwise(draft, plan.client, random);
    else if (how === 'foreign') useForeignIds(maker, draft, scene, plan);
    else mutate(draft, random);
    if (random.chance(0.2)) mutate(draft, random);
  }
  const seconds = Number(draft.query.findLast(([name]) => name === 'wait')?.[1] ?? 0);
  draft.disconnects = seconds > WAIT_MAX_SECONDS && seconds <= SERVED_WAIT_MAX_SECONDS;
  // A session is verified in another thread: which of two goes on first is not determined.
  const hasSession = draft.headers.some(([name]) => name === SESSION_HEADER);
  if (draft.method === 'POST' && !hasSession && random.chance(TWICE_SHARE)) {
    draft.twice = true;
    // The server must not read the second one.
    if (random.chance(0.2)) setHeader(draft, 'Connection', 'close');
  }
  if (random.chance(0.05)) draft.headers.push(['Origin', ALLOWED_ORIGIN]);
  return draft;
}

/** Changes one value of the body, or else a parameter, a signature, the credential or the frame. */
async function missNarrowly(maker: ValueMaker, draft: Draft, { client }: Plan): Promise<void> {
  const { random, description } = maker;
  const { operation } = draft;
  const schema = operation.body?.schema ?? null;
  if (schema !== null && random.chance(0.75)) {
    const { value, note } = nearMiss(description, random, schema, draft.body);
    draft.body = value;
    draft.notes.push(note);
    return;
  }
  const signed = draft.headers.findIndex(([name]) => name.startsWith('svix-'));
  if (signed !== -1 && random.chance(0.7)) {
    const [name = '', value = ''] = draft.headers[signed] ?? [];
    draft.headers = draft.headers.with(signed, [name, random.pick(['', `${value}0`, '0', 'v1,A'])]);
    draft.notes.push(`another ${name}`);
    return;
  }
  const parameters = operation.parameters.filter((parameter) => parameter.in !== 'path');
  const how = random.weighted({
    parameter: parameters.length === 0 ? 0 : 5,
    credential: 2,
    mutation: 3,
  });
  if (how === 'parameter') missParameter(maker, draft, random.pick(parameters));
  else if (how === 'credential') await signInOtherwise(draft, client, random);
  else mutate(draft, random);
}

function missParameter(maker: ValueMaker, draft: Draft, parameter: Parameter): void {
  const { random, description } = maker;
  const { name, schema } = parameter;
  const { value, note } = nearMiss(description, random, schema, validValue(maker, schema, name));
  setParameter(draft, parameter, typeof value === 'object' ? JSON.stringify(value) : `${value}`);
  draft.notes.push(`${name}: ${note}`);
}

/** Asks for resources of another organization. Buyers, documents and public paths are shared. */
function useForeignIds(maker: ValueMaker, draft: Draft, scene: FuzzScene, plan: Plan): void {
  const { path } = plan.operation;
  if (!path.includes('{') || /buyerId|documents|partner|^\/docs/.test(path)) return;
  const { orgId } = plan.client.tenant;
  const client = maker.random.pick(scene.clients.filter(({ tenant }) => tenant.orgId !== orgId));
  const theirs = { ...plan, client };
  const meaningful = meaningfulValues(scene, maker.description, theirs, maker.random);
  draft.path = validDraft({ ...maker, meaningful }, scene, theirs).path;
  draft.notes.push(`ids of ${client.name}`);
  // Two organizations may choose the same external id.
  if (!draft.path.includes('ext_')) draft.mustFail = 'an id of another organization';
}
