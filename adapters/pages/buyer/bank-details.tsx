// Bank details as rows to copy: what must match exactly, then each account. Rails with the same
// fields are one account under one heading.
import type { ComponentChildren } from 'preact';
import type {
  InstructionField,
  PayinInstructions,
  RailInstructions,
  TransferMethod,
} from '../../../core/domain/payments/payin-instructions.js';
import type { PaymentScene } from '../hosted/scene.js';
import { Digits, Exact, type FactRow, Foreign, Note, Rows, Time } from '../kit/components.js';
import { plainAmount } from '../kit/format.js';
import { nameOf } from '../kit/plain-text.js';
import { epcCode, QrCode } from '../kit/qr-code.js';

type BankProps = Readonly<{ scene: PaymentScene; instructions: PayinInstructions }>;

type Account = Readonly<{ rails: readonly RailInstructions[]; fields: RailInstructions['fields'] }>;

export function BankAccounts({ scene, instructions }: BankProps) {
  const { texts, view } = scene;
  const [usual, ...others] = accountsOf(instructions);
  const isTest = view.mode === 'test';
  return (
    <section
      class={isTest ? 'stack watermark' : 'stack'}
      data-watermark={isTest ? texts.frame.test : undefined}
    >
      <MustMatch scene={scene} instructions={instructions} />
      {usual === undefined ? null : (
        <div class="card">
          <h2>{headingOf(scene, usual)}</h2>
          <AccountRows scene={scene} instructions={instructions} account={usual} isFirst />
          <History scene={scene} />
          <Scan scene={scene} instructions={instructions} />
          {others.map((account) => (
            <details>
              <summary>{headingOf(scene, account)}</summary>
              <AccountRows scene={scene} instructions={instructions} account={account} />
            </details>
          ))}
        </div>
      )}
      <ReferenceNote scene={scene} instructions={instructions} />
      {isTest ? <Note look="warn" text={texts.frame.testAccount} /> : null}
    </section>
  );
}

function accountsOf({ rails }: PayinInstructions): readonly Account[] {
  const groups = Object.groupBy(rails, ({ fields }) => JSON.stringify(fields));
  return Object.values(groups).flatMap((group = []) => {
    const [first] = group;
    if (first === undefined) return [];
    return { rails: group, fields: first.fields };
  });
}

type AccountPlace = keyof PaymentScene['texts']['transfer']['accounts'];

/** Where the account is, and what the rail is called in each language. */
export const railRules = {
  ach: { place: 'us', name: 'ACH' },
  wire: { place: 'us', name: 'wire' },
  rtp: { place: 'us', name: 'RTP' },
  swift: { place: 'abroad', name: 'SWIFT' },
  sepa: { place: 'euros', name: 'SEPA' },
  fps: { place: 'uk', name: 'Faster Payments' },
  pix: { place: 'brazil', name: 'PIX' },
} as const satisfies Record<
  TransferMethod,
  { readonly place: AccountPlace; readonly name: string }
>;

function headingOf({ texts }: PaymentScene, { rails }: Account): string {
  const { accounts } = texts.transfer;
  const place = accounts[railRules[rails[0]?.rail ?? 'swift'].place];
  return `${place} (${texts.frame.or(rails.map(({ rail }) => railRules[rail].name))})`;
}

function MustMatch({ scene, instructions }: BankProps) {
  const { texts, format } = scene;
  const { transfer } = texts;
  const { amount, reference, referenceRequired } = instructions;
  const both = reference !== null && referenceRequired;
  return [
    <h2>{both ? transfer.match : transfer.matchAmount}</h2>,
    <Exact
      rows={[
        { label: texts.frame.amount, shown: format.money(amount), copy: plainAmount(amount) },
        ...referenceRows(instructions, texts.frame.reference),
        ...(isFromAbroad(instructions)
          ? [{ label: transfer.charges, shown: OUR, copy: null }]
          : []),
      ]}
    />,
    isFromAbroad(instructions) ? <p class="small quiet">{transfer.chargesOur}</p> : null,
  ];
}

function ReferenceNote({ scene: { texts }, instructions }: BankProps) {
  const { reference, referenceRequired } = instructions;
  if (reference === null) return null;
  const { referenceNote, referenceHelps } = texts.transfer;
  return <Note text={referenceRequired ? referenceNote : referenceHelps} />;
}

/** What banks call charges that the payer pays. */
const OUR = 'OUR';

/** Banks on the way of such a transfer take their charges out of it, unless the payer pays them. */
function isFromAbroad({ rails }: PayinInstructions): boolean {
  return rails[0]?.rail === 'swift';
}

export function referenceRows(instructions: PayinInstructions | null, label: string) {
  const reference = instructions?.reference ?? null;
  return reference === null ? [] : [{ label, shown: reference, copy: reference }];
}

/** First, as payments are diverted by changed bank details. `at`: the page with the code. */
export function Replaced({ scene, at = '' }: Readonly<{ scene: PaymentScene; at?: string }>) {
  const { texts, payment } = scene;
  const { issuedAtMs, replacedAtMs } = payment.check ?? { issuedAtMs: 0, replacedAtMs: null };
  if (replacedAtMs === null) return null;
  const [changed, before] = [<Time atMs={issuedAtMs} />, <Time atMs={replacedAtMs} />];
  return <Note look="warn" live text={texts.transfer.replaced(changed, before, `${at}#check`)} />;
}

/** On paper: which page it was printed from, and where bank details are checked. */
export function PrintedFrom({ scene, verify }: { scene: PaymentScene; verify?: true }) {
  const { texts, payment } = scene;
  const { links, shortId, check } = payment;
  return (
    <section class="card">
      <Rows
        rows={[
          { label: texts.transfer.address, value: links.page, look: 'code' },
          // Beside the check code, too.
          verify && check !== null
            ? null
            : { label: texts.transfer.shortId, value: shortId, look: 'code' },
          verify ? { label: texts.frame.verify, value: links.verify, look: 'code' } : null,
        ]}
      />
    </section>
  );
}

/** Whether this buyer has paid to this account before. */
function History({ scene: { texts, payment, payee } }: { readonly scene: PaymentScene }) {
  const history = payment.check?.history ?? null;
  if (history === null) return null;
  if (history === 'new_account') {
    return <Note look="warn" text={texts.transfer.newAccount(payee)} />;
  }
  return (
    <Note
      look="ok"
      text={texts.transfer.sameAccount(<Time atMs={history.sameAsPaidAtMs} as="day" />, payee)}
    />
  );
}

interface AccountProps extends BankProps {
  readonly account: Account;
  /** The first one says why its name is not that of the payee. */
  readonly isFirst?: true;
}

function AccountRows({ scene, instructions, account, isFirst }: AccountProps) {
  const { texts } = scene;
  const rows: readonly FactRow[] = account.fields.map(({ name, value }) => {
    const label = texts.transfer.fields[name];
    return {
      label,
      value: shownValue(scene, name, value),
      // Banks ask for a choice.
      ...(name === 'accountType' ? {} : { copy: { value, label } }),
      ...(inDigits.has(name) ? { look: 'digits' as const } : {}),
      ...(isFirst ? holderNote(scene, instructions, name, value) : {}),
    };
  });
  // In the box above where it is the first account.
  const isAbroad =
    !isFromAbroad(instructions) && account.rails.some(({ rail }) => rail === 'swift');
  const charges = { label: texts.transfer.charges, value: texts.transfer.chargesOur };
  return <Rows look="copy" rows={[...rows, timeRow(scene, account), isAbroad ? charges : null]} />;
}

/** How long each rail takes; null if the partner does not say. */
function timeRow({ texts }: PaymentScene, { rails }: Account): FactRow | null {
  const { days, takes } = texts.transfer;
  const times = rails.flatMap(({ rail, arrivesWithinDays: known }) =>
    known === null ? [] : [{ name: railRules[rail].name, time: days(known.from, known.to) }],
  );
  if (times.length === 0) return null;
  const isSame = new Set(times.map(({ time }) => time)).size === 1 && times.length === rails.length;
  const named = times.map(({ name, time }) => `${name}: ${time}`).join('; ');
  return { label: takes, value: isSame ? times[0]?.time : named };
}

/** Account, amount and reference for a banking app; they stand above as text. */
function Scan({ scene: { texts }, instructions }: BankProps) {
  const codes = instructions.rails.map((rail) => epcCode(instructions, rail));
  const code = codes.find((one) => one !== null) ?? null;
  if (code === null) return null;
  return (
    <details>
      <summary>{texts.transfer.scan}</summary>
      <QrCode text={code} label={texts.transfer.scanLabel} />
    </details>
  );
}

const inDigits: ReadonlySet<InstructionField> = new Set([
  ...(['accountNumber', 'iban', 'routingNumber', 'bic', 'code'] as const),
]);

/** Partners name the type of an account in English. */
function shownValue(
  { texts }: PaymentScene,
  name: InstructionField,
  value: string,
): ComponentChildren {
  const typeNames: Readonly<Record<string, string>> = texts.transfer.accountTypes;
  if (name === 'accountType') return typeNames[value.toLowerCase()] ?? <Foreign text={value} />;
  return inDigits.has(name) ? <Digits text={value} /> : <Foreign text={value} />;
}

/** Why the name of the account is not that of the payee. */
function holderNote(
  { texts, payee }: PaymentScene,
  { holder }: PayinInstructions,
  name: InstructionField,
  value: string,
): Pick<FactRow, 'note'> {
  if (name !== 'beneficiary' || holder === 'payee') return {};
  return { note: texts.transfer.holder(nameOf(value), payee) };
}
