// Line items and notes of the integrator, after sign-in only.
import type { LineItem } from '../hosted/page-view.js';
import type { PaymentScene } from '../hosted/scene.js';
import { type FactRow, Foreign, foreign, Rows } from '../kit/components.js';
import { Table } from '../kit/pages/table.js';
import { plainText } from '../kit/plain-text.js';

type ItemsProps = Readonly<{ scene: PaymentScene }>;

/** In a screen that is about something else. */
export function FoldedItems({ scene }: ItemsProps) {
  return hasItems(scene) ? (
    <details>
      <summary>{scene.texts.price.items}</summary>
      <Items scene={scene} />
    </details>
  ) : null;
}

/** On paper. */
export function ShownItems({ scene }: ItemsProps) {
  return hasItems(scene) ? (
    <section class="stack-s">
      <h2>{scene.texts.price.items}</h2>
      <Items scene={scene} />
    </section>
  ) : null;
}

function hasItems({ view, payment }: PaymentScene): boolean {
  const { lineItems, taxes, notes } = payment.display;
  const hasLines = lineItems.length > 0 || taxes.length > 0;
  return view.viewer !== null && (hasLines || plainText(notes) !== '');
}

function Items({ scene }: ItemsProps) {
  const { lineItems, taxes, notes } = scene.payment.display;
  const note = plainText(notes);
  return (
    <div class="stack">
      {lineItems.length === 0 ? null : <ItemTable scene={scene} items={lineItems} />}
      {taxes.length === 0 ? null : <Rows look="right" rows={taxRows(scene)} />}
      {note === '' ? null : (
        <section>
          <h3>{scene.texts.price.notes}</h3>
          <p>{foreign(note)}</p>
        </section>
      )}
    </div>
  );
}

/** Taxes, and the amount that they are part of. */
function taxRows({ texts, format, payment }: PaymentScene): readonly FactRow[] {
  const { display, amount } = payment;
  const rows = display.taxes.map((tax) => ({
    label: <Foreign text={tax.description} />,
    value: plainText(tax.amount),
    look: 'num' as const,
  }));
  return [...rows, { label: texts.price.total, value: format.money(amount), look: 'sum' }];
}

function ItemTable({
  scene: { texts },
  items,
}: Readonly<{ scene: PaymentScene; items: readonly LineItem[] }>) {
  const { item, unitPrice, subtotal, lines } = texts.price;
  return (
    <Table
      label={lines}
      rows={items}
      folds
      columns={({ column, named }) => [
        named(item, ({ description }) => <Foreign text={description} />),
        column(texts.frame.quantity, 'num', (line) => plainText(line.quantity)),
        column(unitPrice, 'num', (line) => plainText(line.unitPrice)),
        column(subtotal, 'num main', (line) => plainText(line.subtotal)),
      ]}
    />
  );
}
