// The pages that show the description of the API: an operation, an error code, an event type. They
// add nothing: sentences are those of the route table and of the error catalogue, examples are
// recorded calls.
import { STATUS_CODES } from 'node:http';
import type { ComponentChildren } from 'preact';
import { nearCodes } from '../../../core/errors.js';
import { Scroll } from '../kit/components.js';
import { CodeBlock, KeyField, RequestTabs } from './code-blocks.js';
import {
  type ApiOperation,
  aliasesOf,
  answerFields,
  codesOf,
  type DescribedOperation,
  type Description,
  type ErrorExample,
  errorsIn,
  eventOf,
  type Field,
  fieldsOf,
  operationsOf,
  type Parameter,
  parameterFields,
} from './description-view.js';
import type { ClientCalls, ExampleRequest } from './example-request.js';
import { broken, type DocContent, linkFrom } from './frame.js';
import { inlineMarkdown, type Surroundings } from './markdown.js';

const plainText: Surroundings = { addressOf: () => null, request: () => <></> };

/** A sentence with code in it. */
export function words(text: string): ComponentChildren {
  return inlineMarkdown(text, plainText);
}

export function operationPage(
  {
    description,
    ...samples
  }: Readonly<{ description: Description; baseUrl: string; callOf: ClientCalls }>,
  operation: ApiOperation,
): DocContent {
  const { operationId, label, summary, method, parameters, requestBody } = operation;
  const path = `reference/${operationId}`;
  const json = requestBody?.content['application/json'];
  const inPlace = (place: Parameter['in']) => parameters.filter((one) => one.in === place);
  const first = operationsOf(description).find((one) => one.operationId === operation.sameAs);
  return {
    path,
    title: label,
    lede: words(`${summary}.`),
    isWide: true,
    body: [
      <p class="line">
        <span class="verb">{method}</span>
        <code class="code">{operation.path}</code>
      </p>,
      operation.description === undefined ? null : <p>{words(operation.description)}</p>,
      first === undefined ? null : (
        <p>
          It does the same as{' '}
          <a class="code" href={linkFrom(path, `reference/${first.operationId}`)}>
            {first.method} {first.path}
          </a>
          .
        </p>
      ),
      aliasesOf(description, operation).map((alias) => (
        <p>
          The same as{' '}
          <code class="code">
            {alias.method} {alias.path}
          </code>
          .
        </p>
      )),
      <div class="ref">
        <div class="stack">
          <Parameters heading="In the path" rows={inPlace('path')} />
          <Parameters heading="Query" rows={inPlace('query')} />
          <Parameters heading="Headers" rows={inPlace('header')} />
          {requestBody === undefined
            ? null
            : [
                <h2 id="body">Body</h2>,
                requestBody.description === undefined ? null : (
                  <p>{words(requestBody.description)}</p>
                ),
                json === undefined ? (
                  <p>The bytes of the body, of any content type.</p>
                ) : (
                  <Fields fields={fieldsOf(json.schema, description)} />
                ),
              ]}
          <AnswerFields fields={answerFields(description, operation)} />
          <ErrorTable path={path} errors={errorsOf(description, operation)} />
        </div>
        <aside class="stack" aria-label="Examples">
          <h2>Request</h2>
          <KeyField />
          <RequestTabs request={exampleOf(operation)} number={1} {...samples} />
          <h2>Answers</h2>
          <Answers operation={operation} />
        </aside>
      </div>,
    ],
  };
}

function Parameters({ heading, rows }: Readonly<{ heading: string; rows: readonly Parameter[] }>) {
  if (rows.length === 0) return null;
  return [
    <h2 id={heading.toLowerCase().replaceAll(' ', '-')}>{heading}</h2>,
    <Fields fields={parameterFields(rows)} />,
  ];
}

function Fields({ fields }: { readonly fields: readonly Field[] }) {
  if (fields.length === 0) return <p>No fields.</p>;
  return (
    <dl class="params">
      {fields.map(({ name, kind, required, description, depth }) => (
        <div class={depth === 0 ? undefined : 'in'}>
          <dt>
            <b class="code">{broken(name)}</b>
            <span>{kind}</span>
            {required ? <span class="must">required</span> : null}
          </dt>
          {description === '' ? null : <dd>{words(description)}</dd>}
        </div>
      ))}
    </dl>
  );
}

function AnswerFields({ fields }: { readonly fields: readonly Field[] }) {
  if (fields.length === 0) return null;
  return [
    <h2 id="answer">Answer</h2>,
    <details>
      <summary>Its fields</summary>
      <Fields fields={fields} />
    </details>,
  ];
}

function Answers({ operation }: { readonly operation: DescribedOperation }) {
  const answers = Object.entries(operation.responses).filter(
    ([status]) => status.startsWith('2') || status.startsWith('3'),
  );
  return (
    <div>
      {answers.map(([status, { description, content }], index) => {
        const example = content?.['application/json']?.example;
        return (
          <details open={index === answers.length - 1 && example !== undefined}>
            <summary>
              {status}: {words(description)}
            </summary>
            {example === undefined ? (
              <p class="small quiet">Without a JSON body.</p>
            ) : (
              <CodeBlock
                label={`Answer ${status}`}
                text={JSON.stringify(example, null, 2)}
                language="json"
              />
            )}
          </details>
        );
      })}
    </div>
  );
}

/** The recorded call, or one without values. */
function exampleOf(operation: ApiOperation): ExampleRequest {
  const { method, path, parameters, requestBody, security } = operation;
  const given = (place: Parameter['in']) =>
    parameters.filter((one) => one.in === place && one.example !== undefined);
  const filled = given('path').reduce(
    (filling, { name, example }) => filling.replace(`{${name}}`, String(example)),
    path,
  );
  const query = given('query').map(({ name, example }) => `${name}=${String(example)}`);
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key');
  const bySession = security.length > 0 && security.every((one) => 'Session' in one);
  const json = requestBody?.content['application/json'];
  return {
    method,
    path: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
    headers: {
      ...(bySession ? { Authorization: 'Bearer <token>' } : {}),
      ...(isKeyed ? { 'Idempotency-Key': 'order-7' } : {}),
    },
    body: json === undefined ? undefined : (json.example ?? {}),
  };
}

function errorsOf(
  description: Description,
  operation: DescribedOperation,
): readonly ErrorExample[] {
  const codes = codesOf(operation);
  return errorsIn(description).filter(({ error }) => codes.includes(error));
}

export function ErrorTable({
  path,
  errors,
}: Readonly<{ path: string; errors: readonly ErrorExample[] }>) {
  if (errors.length === 0) return null;
  return [
    path === 'errors' ? null : <h2 id="errors">Errors</h2>,
    <Scroll label="Errors">
      <table class="doc">
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col" class="num">
              Status
            </th>
            <th scope="col">When, and what to do</th>
          </tr>
        </thead>
        <tbody>
          {errors.map(({ error, statusCode, message }) => (
            <tr>
              <th scope="row">
                <a class="code" href={linkFrom(path, `errors/${error}`)}>
                  {broken(error)}
                </a>
              </th>
              <td class="num">{statusCode}</td>
              <td>{words(message)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>,
  ];
}

export function errorPage(description: Description, example: ErrorExample): DocContent {
  const { error, statusCode, message, retryAfter } = example;
  const path = `errors/${error}`;
  const [cause = '', ...repair] = sentences(message);
  const near = nearTo(description, error);
  const operations = operationsOf(description).filter(
    (one) => one.sameAs === null && codesOf(one).includes(error),
  );
  return {
    path,
    title: error,
    isCode: true,
    lede: words(cause),
    headings: [
      { id: 'repair', words: 'What to do', depth: 2 },
      { id: 'example', words: 'Example', depth: 2 },
      { id: 'operations', words: 'Operations', depth: 2 },
      ...(near.length === 0 ? [] : [{ id: 'near', words: 'Near to it', depth: 2 } as const]),
    ],
    body: [
      <dl class="facts card across">
        <div>
          <dt>HTTP status</dt>
          <dd>{statusCode}</dd>
        </div>
        <div>
          <dt>Send it again?</dt>
          <dd>{retryAfter === undefined ? 'Not before its cause is repaired' : 'Yes, later'}</dd>
        </div>
        <div>
          <dt>Who can repair it?</dt>
          <dd>{repairerOf(example)}</dd>
        </div>
      </dl>,
      <h2 id="repair">What to do</h2>,
      repair.length === 0 ? null : <p>{words(repair.join(' '))}</p>,
      <p>
        {retryAfter === undefined ? (
          'The same request is refused again until its cause is gone.'
        ) : (
          <>
            It is transient: send the same request again after <code>retryAfter</code> seconds.
          </>
        )}
      </p>,
      operations.some(isRepeatable) ? (
        <p>
          Send the same <code>Idempotency-Key</code> again: a refusal uses up neither the key nor
          the <code>externalId</code>.
        </p>
      ) : null,
      <h2 id="example">Example</h2>,
      <CodeBlock label="Answer" text={answerText(example)} language="json" />,
      <p class="small quiet">
        Decide on <code>error</code>: the message is for people, names what is wrong in your
        request, and may change. Support finds a request by its <code>X-Request-Id</code>.
      </p>,
      <h2 id="operations">Operations</h2>,
      <Operations path={path} operations={operations} />,
      near.length === 0 ? null : <NearErrors path={path} near={near} />,
    ],
  };
}

/** More of them are behind a line that counts them. */
const LISTED_OPERATIONS_MAX = 12;

function Operations({
  path,
  operations,
}: Readonly<{ path: string; operations: readonly ApiOperation[] }>) {
  if (operations.length === 0) return <p>Any request can be answered with it.</p>;
  const list = (
    <ul>
      {operations.map(({ operationId, method, path: called, label }) => (
        <li>
          <a href={linkFrom(path, `reference/${operationId}`)}>{label}</a>{' '}
          <code class="code quiet">
            {method} {called}
          </code>
        </li>
      ))}
    </ul>
  );
  if (operations.length <= LISTED_OPERATIONS_MAX) return list;
  return (
    <details>
      <summary>{operations.length} operations can answer with it</summary>
      {list}
    </details>
  );
}

function NearErrors({ path, near }: Readonly<{ path: string; near: readonly ErrorExample[] }>) {
  return [
    <h2 id="near">Near to it</h2>,
    <ul>
      {near.map(({ error, message }) => (
        <li>
          <a href={linkFrom(path, `errors/${error}`)}>
            <code>{error}</code>
          </a>
          : {words(sentences(message)[0] ?? '')}
        </li>
      ))}
    </ul>,
  ];
}

function sentences(message: string): readonly string[] {
  return message.split(/(?<=\.) (?=[A-Z])/);
}

/** Codes of the API that are easily taken for this one. */
function nearTo(description: Description, code: string): readonly ErrorExample[] {
  const groups: readonly (readonly string[])[] = nearCodes.filter((group) =>
    group.some((one) => one === code),
  );
  return errorsIn(description).filter(
    ({ error }) => error !== code && groups.some((group) => group.includes(error)),
  );
}

function repairerOf({ statusCode, retryAfter }: ErrorExample): string {
  if (retryAfter !== undefined) return 'Nobody: it passes';
  if (statusCode >= 500) return 'The operator of the service';
  return statusCode === 403 ? 'An owner or admin of your organization' : 'You';
}

/** Whether a create may be answered with the code. */
function isRepeatable({ parameters }: DescribedOperation): boolean {
  return parameters.some(({ name }) => name === 'Idempotency-Key');
}

/** The answer as it comes over the wire, with the headers that help. */
function answerText(example: ErrorExample): string {
  const { statusCode, retryAfter } = example;
  return [
    `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
    'Content-Type: application/json',
    ...(retryAfter === undefined ? [] : [`Retry-After: ${retryAfter}`]),
    'X-Request-Id: req-7',
    '',
    JSON.stringify(example, null, 2),
  ].join('\n');
}

export function eventPage(description: Description, type: string): DocContent {
  const { example, data } = eventOf(description, type);
  const all = `${type.split('.')[0] ?? ''}.*`;
  return {
    path: `events/${type}`,
    title: type,
    isCode: true,
    body: [
      <p>
        Subscribe to <code class="code">{type}</code>, <code class="code">{all}</code> or{' '}
        <code class="code">*</code>. The event feed has the same event.
      </p>,
      example === undefined ? null : (
        <CodeBlock label="Body" text={JSON.stringify(example, null, 2)} language="json" />
      ),
      <h2 id="data">
        Fields of <code class="code">data</code>
      </h2>,
      <Fields fields={fieldsOf(data, description)} />,
    ],
  };
}
