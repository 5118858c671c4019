// What a page says on paper, read from its HTML: titles, texts, facts and tables in their order.
// Controls and what only the script shows are left out, as in print.
import { DomUtils, ElementType, parseDocument } from 'htmlparser2';

/** Text in one weight. */
export type StyledText = Readonly<{ text: string; isBold: boolean }>;

export type TextPart = Readonly<{ kind: 'text'; look: TextLook; runs: readonly StyledText[] }>;

export type TextLook = 'title' | 'lede' | 'heading' | 'subheading' | 'text' | 'small';

export interface PageFact {
  readonly label: readonly StyledText[];
  readonly value: readonly StyledText[];
  readonly note: readonly StyledText[];
  /** The last of a sum. */
  readonly isSum: boolean;
}

export type PagePart =
  | TextPart
  /** A fact that changes what to do. */
  | { readonly kind: 'note'; readonly texts: readonly TextPart[] }
  /** `exact`: to be copied exactly. `right`: amounts. */
  | Readonly<{ kind: 'facts'; look: 'plain' | 'exact' | 'right'; facts: readonly PageFact[] }>
  /** The first row is its head, the first column has texts and the others have figures. */
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly StyledText[])[])[] };

type Node = ReturnType<typeof parseDocument>['children'][number];
type Element = Extract<Node, { readonly attribs: unknown }>;
type Text = Extract<Node, { readonly type: ElementType.ElementType.Text }>;

const isElement = (node: Node): node is Element => ElementType.isTag(node);
const isText = (node: Node): node is Text => node.type === ElementType.ElementType.Text;

const looks: Readonly<Record<string, TextLook>> = {
  h1: 'title',
  h2: 'heading',
  h3: 'subheading',
  summary: 'subheading',
};

const blocks: ReadonlySet<string> = new Set(
  'main section aside header div details summary p h1 h2 h3 dl ol ul li table'.split(' '),
);

const notPrinted: ReadonlySet<string> = new Set(['button', 'noscript', 'svg', 'form']);
const notPrintedClasses = ['btn', 'noprint', 'vh', 'act'];

export function pageParts(html: string): readonly PagePart[] {
  return parseDocument(html).children.flatMap((node) => (isElement(node) ? partsOf(node) : []));
}

function partsOf(element: Element): readonly PagePart[] {
  if (isLeftOut(element)) return [];
  if (element.name === 'dl') return [factsOf(element)];
  if (element.name === 'table') return [tableOf(element)];
  if (!childrenOf(element).some(({ name }) => blocks.has(name))) return textOf(element);
  const parts = childrenOf(element).flatMap(partsOf);
  if (hasClass(element, 'note'))
    return [{ kind: 'note', texts: parts.filter((part) => part.kind === 'text') }];
  // The summary of what a page shows as a picture.
  return element.name === 'details' && parts.length === 1 ? [] : parts;
}

function textOf(element: Element): readonly PagePart[] {
  const runs = runsOf(element);
  if (runs.length === 0) return [];
  const small = hasClass(element, 'small') ? 'small' : 'text';
  const look = looks[element.name] ?? (hasClass(element, 'lede') ? 'lede' : small);
  const text: TextPart = { kind: 'text', look, runs };
  return hasClass(element, 'note') ? [{ kind: 'note', texts: [text] }] : [text];
}

function factsOf(list: Element): PagePart {
  const facts = childrenOf(list).map((row) => {
    const cells = childrenOf(row).filter((cell) => !isLeftOut(cell));
    const cell = (name: string) => cells.find((one) => one.name === name);
    const [label, value] = [cell('dt'), cell('dd')];
    const note = value && childrenOf(value).find(({ name }) => name === 'p');
    return {
      label: label === undefined ? [] : runsOf(label),
      value: value === undefined ? [] : runsOf(value, note),
      note: note === undefined ? [] : runsOf(note),
      isSum: hasClass(row, 'sum'),
    };
  });
  const look = hasClass(list, 'exact') ? 'exact' : hasClass(list, 'right') ? 'right' : 'plain';
  return { kind: 'facts', look, facts };
}

function tableOf(table: Element): PagePart {
  const rows = DomUtils.getElementsByTagName('tr', table).map((row) =>
    childrenOf(row).map((cell) => runsOf(cell)),
  );
  return { kind: 'table', rows };
}

/** The text of an element, `without` a part of it; empty if it is blank. */
function runsOf(element: Element, without?: Element): readonly StyledText[] {
  const runs = inlineRuns(element, false, without);
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return [];
  const trimmed = runs.map((run) => {
    const start = run === first ? run.text.trimStart() : run.text;
    return { ...run, text: run === last ? start.trimEnd() : start };
  });
  return trimmed.filter(({ text }) => text !== '');
}

function inlineRuns(element: Element, isBold: boolean, without?: Element): readonly StyledText[] {
  return element.children.flatMap((node) => {
    if (!isElement(node)) {
      const text = isText(node) ? node.data.replace(/[ \t\n]+/g, ' ') : '';
      return text === '' ? [] : [{ text, isBold }];
    }
    if (node === without || isLeftOut(node)) return [];
    if (node.name === 'br') return [{ text: '\n', isBold }];
    return inlineRuns(node, isBold || node.name === 'b' || hasClass(node, 'checkcode'), without);
  });
}

function childrenOf(element: Element): readonly Element[] {
  return element.children.filter(isElement);
}

function isLeftOut(element: Element): boolean {
  const isHidden = 'hidden' in element.attribs || notPrinted.has(element.name);
  return isHidden || notPrintedClasses.some((name) => hasClass(element, name));
}

function hasClass({ attribs }: Element, name: string): boolean {
  return (attribs['class'] ?? '').split(' ').includes(name);
}
