// The documents that buyers file before they pay: those of the organization and of each seller. A
// page has one row for each kind that its owner uploads.
import { allows, type Scope } from '../../../core/domain/access/scope.js';
import { isCalendarDate } from '../../../core/domain/base/instant.js';
import { dayOf } from '../../../core/domain/base/time-zone.js';
import { contentTypes } from '../../../core/domain/parties/document.js';
import {
  type PaperKind,
  paperStateOn,
  papersOwnedBy,
  type VendorPaper,
} from '../../../core/domain/parties/vendor-paper.js';
import { PonteError } from '../../../core/errors.js';
import {
  listPapers,
  type PaperHolder,
  removePaper,
  storePaper,
} from '../../../core/usecases/parties/vendor-papers.js';
import { Badge, Button, Foreign, Form, Note, Submit } from '../kit/components.js';
import { FileField, SelectField, TextField } from '../kit/fields.js';
import { readFile } from '../kit/files/uploaded-file.js';
import type { MemberRule } from '../kit/page-route.js';
import { idIn } from '../kit/pages/declared-pages.js';
import { Table } from '../kit/pages/table.js';
import { sceneOf, useDashboard, viewOf } from './dashboard-scene.js';
import { actorOf, anyRole, type MemberCall, memberPages, tenantOfCall } from './member-pages.js';

interface Shown {
  readonly holder: PaperHolder;
  readonly papers: readonly VendorPaper[];
  readonly mayChange: boolean;
  readonly takesFiles: boolean;
}

export const vendorPaperPages = [
  ...papersAt({
    path: '/vendor-documents',
    place: 'settings',
    read: { scope: anyRole, proof: 'session' },
    change: { scope: 'org:write', proof: 'change_vendor_documents' },
    holderOf: (call) => {
      const tenant = tenantOfCall(call);
      return { ...tenant, kind: 'organization', id: tenant.orgId };
    },
  }),
  ...papersAt({
    path: '/sellers/{accountId}/vendor-documents',
    place: 'sellers',
    read: { scope: 'connected_accounts:read', proof: 'session' },
    change: { scope: 'connected_accounts:write', proof: 'change_vendor_documents' },
    holderOf: (call) => ({ ...tenantOfCall(call), kind: 'seller', id: idIn(call, 'accountId') }),
  }),
];

interface Place {
  readonly path: string;
  readonly place: 'settings' | 'sellers';
  readonly read: MemberRule;
  readonly change: MemberRule & { readonly scope: Scope };
  readonly holderOf: (call: MemberCall) => PaperHolder;
}

function papersAt({ path, place, read, change, holderOf }: Place) {
  const pathFor = (call: MemberCall) =>
    path.replace('{accountId}', () => call.params['accountId'] ?? '');
  return memberPages.withButtons(
    {
      path,
      access: read,
      load: async ({ deps }, call): Promise<Shown> => {
        const holder = holderOf(call);
        const papers = await listPapers(deps, holder);
        const named = call.params['documentId'];
        if (named !== undefined && !papers.some(({ id }) => id === named)) {
          throw new PonteError('NotFound');
        }
        const mayChange = allows(actorOf(call).scopes, change.scope);
        return { holder, papers, mayChange, takesFiles: deps.documents !== null };
      },
      show: ({ texts, view }, shown) => {
        const of = shown.holder.kind === 'seller' ? `sellers/${shown.holder.id}` : 'settings';
        return {
          title: texts.frame.vendorPapers,
          lede: texts.vendorPapers.lede,
          place,
          crumbs: [<a href={`${view.path}/${of}`}>{texts.places[place]}</a>],
          body: <Papers shown={shown} at={pathBelow(shown.holder)} />,
        };
      },
    },
    [
      {
        path: `${path}/upload`,
        access: change,
        form: 'multipart',
        async run(context, call) {
          const { texts } = sceneOf(viewOf(context, call));
          const words = texts.vendorPapers;
          const holder = holderOf(call);
          // NotFound, before the file is read.
          await listPapers(context.deps, holder);
          const refusal = await readFile(call, async ({ fields, fileName, bytes }) => {
            const kind = papersOwnedBy(holder.kind).find((one) => one === fields.get('kind'));
            const day = (fields.get('expires') ?? '').trim();
            if (kind === undefined) return 'kind';
            if (day !== '' && !isCalendarDate(day)) return 'day';
            return storePaper(context.deps, holder, {
              kind,
              expiresOn: day === '' ? null : day,
              fileName,
              bytes,
              uploaderId: actorOf(call).memberId,
            });
          });
          if (refusal === null) return { to: pathFor(call), done: 'paper_saved' };
          if (refusal === 'kind') return { problem: { field: 'kind', text: words.noKind } };
          if (refusal === 'day') {
            return { problem: { field: 'expires', text: texts.invoice.faults.due } };
          }
          return { problem: { field: 'file', text: texts.invoice.fileRefused[refusal] } };
        },
      },
      {
        path: `${path}/{documentId}/remove`,
        access: change,
        async run({ deps }, call) {
          await removePaper(deps, holderOf(call), idIn(call, 'documentId'));
          return { to: pathFor(call), done: 'paper_removed' };
        },
      },
    ],
  );
}

function pathBelow({ kind, id }: PaperHolder): string {
  return kind === 'seller' ? `sellers/${id}/vendor-documents` : 'vendor-documents';
}

type Row = Readonly<{ kind: PaperKind; paper: VendorPaper | null }>;

function Papers({ shown, at }: { readonly shown: Shown; readonly at: string }) {
  const { texts, view, format } = useDashboard();
  const words = texts.vendorPapers;
  const { holder, papers, mayChange, takesFiles } = shown;
  const today = dayOf(view.timeZone, view.nowMs);
  const kinds = papersOwnedBy(holder.kind);
  const rows: readonly Row[] = kinds.map((kind) => ({
    kind,
    paper: papers.find((one) => one.kind === kind) ?? null,
  }));
  const stateOf = ({ paper }: Row) => {
    if (paper === null) return <Badge look="quiet" text={words.none} />;
    const state = paperStateOn(paper, today);
    const look = state === 'valid' ? 'ok' : 'warn';
    return <Badge look={look} text={words.states[state]} />;
  };
  return [
    <Table
      label={texts.frame.vendorPapers}
      rows={rows}
      columns={({ column, named }) => [
        named(words.kind, ({ kind }) => words.kinds[kind]),
        column(texts.invoice.file, ({ paper }) => paper && <Foreign text={paper.fileName} />),
        column(texts.frame.state, stateOf),
        column(words.expires, ({ paper }) =>
          paper?.expiresOn == null ? '–' : format.date(paper.expiresOn),
        ),
        column('', ({ kind, paper }) =>
          paper === null || !mayChange ? null : (
            <Form to={`${at}/${paper.id}/remove`}>
              <Button look="sm">
                {words.remove}
                <span class="vh"> {words.kinds[kind]}</span>
              </Button>
            </Form>
          ),
        ),
      ]}
    />,
    !mayChange ? null : takesFiles ? (
      <Form to={`${at}/upload`} files="by_button" class="card stack">
        <SelectField
          name="kind"
          label={words.kind}
          choices={kinds.map((value) => ({ value, label: words.kinds[value] }))}
          width="medium"
        />
        <TextField name="expires" label={words.expires} hint={words.expiresHint} type="date" />
        <FileField name="file" label={texts.invoice.file} accept={contentTypes.join(',')} />
        <Submit>{texts.frame.upload}</Submit>
      </Form>
    ) : (
      <Note text={words.noFiles} />
    ),
  ];
}
