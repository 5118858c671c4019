// Writes the parts of a page as a tagged PDF with embedded fonts: readable by a screen reader and
// by a program, in the order of the page. Loaded with the first file that is asked for.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { create, type Font, type GlyphRun } from 'fontkit';
import PDFDocument from 'pdfkit';
import { assert } from '../../../core/errors.js';
import { isDrawablePicture } from './drawable-picture.js';
import { drawnText } from './drawable-text.js';
import {
  type PageFact,
  type PagePart,
  pageParts,
  type StyledText,
  type TextLook,
  type TextPart,
} from './page-parts.js';

export interface PdfAbout {
  readonly title: string;
  /** A BCP 47 tag. */
  readonly language: string;
  readonly author: string;
  /** The same facts at the same time give the same bytes. */
  readonly writtenAtMs: number;
  /** At the foot of each page. */
  readonly footer: string;
  /** The color of the organization, as `#rrggbb`; null: that of Ponte. */
  readonly accent: string | null;
  /** The picture of the organization: a PNG or JPEG. */
  readonly logo: Uint8Array | null;
  /** In large letters across each page; null in live mode. */
  readonly watermark: string | null;
}

/** The texts are drawable. */
export async function pdfOf(html: string, about: PdfAbout): Promise<Uint8Array> {
  fonts ??= await loadFonts();
  const parts = pageParts(html);
  const usual = written(fonts, about, parts, 1);
  if (pagesOf(usual) === 1) return finish(usual, about);
  const dense = written(fonts, about, parts, DENSE);
  return finish(pagesOf(dense) === 1 ? dense : usual, about);
}

function written(
  made: Fonts,
  about: PdfAbout,
  parts: readonly PagePart[],
  spacing: number,
): Writer {
  const writer = createWriter(made, about, spacing);
  drawBrand(writer, about);
  for (const part of parts) writePart(writer, part);
  return writer;
}

function pagesOf({ doc }: Writer): number {
  return doc.bufferedPageRange().count;
}

type Fonts = Readonly<{ regular: Font; bold: Font }>;

/** Parsed once: that takes longer than to write a file. */
let fonts: Fonts | null = null;

const fontFiles = { regular: 'NotoSans_400Regular.ttf', bold: 'NotoSans_700Bold.ttf' } as const;

export async function loadFonts(): Promise<Fonts> {
  return { regular: await readFont('regular'), bold: await readFont('bold') };
}

async function readFont(weight: keyof typeof fontFiles): Promise<Font> {
  const name = fontFiles[weight];
  // Next to the code in a build, in node_modules in a clone.
  const built = new URL(`./fonts/${name}`, import.meta.url);
  const folder = name.slice(name.indexOf('_') + 1, name.lastIndexOf('.'));
  const packaged = `@expo-google-fonts/noto-sans/${folder}/${name}`;
  const file = existsSync(built) ? built : new URL(import.meta.resolve(packaged));
  const font = create(await readFile(file));
  assert(!('fonts' in font), `${name} is one font`);
  // A glyph keeps the characters of its first use: ı has none if í, drawn with it, was first.
  for (const point of font.characterSet) font.glyphForCodePoint(point);
  keepLayouts(font);
  return font;
}

/** Words of which the layout is kept, per font. */
const LAYOUTS_MAX = 2_000;

/** Pages share most of their words, and to lay them out takes half the time of a file. */
function keepLayouts(font: Font): void {
  const layout = font.layout.bind(font);
  const kept = new Map<string, GlyphRun>();
  font.layout = (text, ...features) => {
    if (features.some((one) => one !== undefined)) return layout(text, ...features);
    const run = kept.get(text) ?? layout(text);
    if (kept.size >= LAYOUTS_MAX) kept.clear();
    kept.set(text, run);
    // The writer scales the positions that it gets.
    return Object.create(run, {
      positions: { value: run.positions.map((position) => ({ ...position })) },
    });
  };
}

/** In points. */
const MARGIN = 42;
const LABEL_WIDTH = 150;
const GAP = 14;
const TEXT_SIZE = 9;
const SMALL_SIZE = 8;
/** The font has wide gaps between its lines. */
const LINE_GAP = -1;
const EXACT_SIZE = 12;
const ROW_PADDING = 2;
/** The part of all spaces that is left where that saves the second page. */
const DENSE = 0.4;

const ink = '#0f1f22';
const soft = '#46585c';
const line = '#d5dede';
const ground = '#ecf1f1';
const usualAccent = '#0a5568';
const ACCENT_HEIGHT = 4;
const LOGO_HEIGHT = 28;
const LOGO_WIDTH_MAX = 180;

interface TextStyle {
  readonly tag: 'H1' | 'H2' | 'H3' | 'P';
  readonly size: number;
  readonly color: string;
  readonly isBold?: true;
  /** Above it, and what must fit below it on its page. */
  readonly above: number;
  readonly keep?: number;
}

const textStyles: Readonly<Record<TextLook, TextStyle>> = {
  title: { tag: 'H1', size: 18, color: ink, isBold: true, above: 4 },
  lede: { tag: 'P', size: 10.5, color: soft, above: 0 },
  heading: { tag: 'H2', size: 11.5, color: ink, isBold: true, above: 10, keep: 30 },
  subheading: { tag: 'H3', size: 10, color: ink, isBold: true, above: 7, keep: 30 },
  text: { tag: 'P', size: TEXT_SIZE, color: ink, above: 4 },
  small: { tag: 'P', size: SMALL_SIZE, color: soft, above: 3 },
};

type Doc = PDFKit.PDFDocument;

interface Writer {
  readonly doc: Doc;
  /** Holds the elements of all parts. */
  readonly root: Element;
  readonly width: number;
  readonly accent: string;
  /** Spaces between lines are multiplied by it. */
  readonly spacing: number;
}

function createWriter({ regular, bold }: Fonts, about: PdfAbout, spacing: number): Writer {
  const writtenAt = new Date(about.writtenAtMs);
  const doc = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    pdfVersion: '1.7',
    tagged: true,
    lang: about.language,
    displayTitle: true,
    // No font but the embedded ones.
    font: '',
    bufferPages: true,
    info: { Title: about.title, Author: about.author, CreationDate: writtenAt, ModDate: writtenAt },
  });
  doc.registerFont('bold', parsed(bold)).registerFont('regular', parsed(regular));
  const root = doc.struct('Document');
  doc.addStructure(root);
  return {
    doc,
    root,
    width: doc.page.width - 2 * MARGIN,
    accent: about.accent ?? usualAccent,
    spacing,
  };
}

/** PDFKit takes a parsed font; its types do not say so. */
function parsed(font: Font): Uint8Array {
  return font as unknown as Uint8Array;
}

/** At the top of the first page, as on the page itself: the color and the logo. */
function drawBrand({ doc, accent }: Writer, { logo }: PdfAbout): void {
  artifact(doc, () => doc.rect(0, 0, doc.page.width, ACCENT_HEIGHT).fill(accent));
  if (logo === null || !isDrawablePicture(logo)) return;
  const fit: [width: number, height: number] = [LOGO_WIDTH_MAX, LOGO_HEIGHT];
  let { y } = doc;
  artifact(doc, () => {
    try {
      doc.image(Buffer.from(logo), MARGIN, MARGIN, { fit });
      y += LOGO_HEIGHT + GAP;
    } catch {
      // A JPEG without a frame: nothing of it is written.
    }
  });
  doc.y = y;
}

type FactsPart = Extract<PagePart, { kind: 'facts' }>;
type TablePart = Extract<PagePart, { kind: 'table' }>;
type Element = PDFKit.PDFStructureElement;

function writePart(writer: Writer, part: PagePart): void {
  switch (part.kind) {
    case 'text':
      writeText(writer, part.look, part.runs);
      break;
    case 'note':
      writeNote(writer, part.texts);
      break;
    case 'facts':
      writeFacts(writer, part.look, part.facts);
      break;
    case 'table':
      writeTable(writer, part.rows);
      break;
  }
}

function writeText(writer: Writer, look: TextLook, runs: readonly StyledText[], indent = 0): void {
  const { doc, root, width, spacing } = writer;
  const { tag, above, keep = 0, ...style } = textStyles[look];
  const cell = { isBold: false, ...style, runs };
  const box = { left: MARGIN + indent, width: width - indent };
  if (doc.y > MARGIN) doc.y += above * spacing;
  ensureRoom(doc, heightOf(writer, cell, box.width) + keep);
  writeCell(writer, elementIn(doc, root, tag), cell, { ...box, top: doc.y });
}

/** Beside a bar. */
function writeNote(writer: Writer, texts: readonly TextPart[]): void {
  const { doc, accent } = writer;
  const { page, y: top } = doc;
  for (const { look, runs } of texts) writeText(writer, look, runs, GAP);
  // What a page break divides has no bar.
  if (doc.page !== page) return;
  const above = textStyles.text.above * writer.spacing;
  artifact(doc, () => doc.rect(MARGIN, top + above, 3, doc.y - top - above).fill(accent));
}

function writeFacts(writer: Writer, look: FactsPart['look'], facts: readonly PageFact[]): void {
  const { doc, root } = writer;
  const table = elementIn(doc, root, 'Table');
  doc.y += textStyles.text.above * writer.spacing;
  for (const fact of facts) writeFact(writer, table, look, fact);
  table.end();
}

function writeFact(writer: Writer, table: Element, look: FactsPart['look'], fact: PageFact): void {
  const { doc, width } = writer;
  const padding = ROW_PADDING * writer.spacing;
  const { label, isSum } = fact;
  const isExact = look === 'exact';
  const inset = isExact ? GAP : 0;
  const align = look === 'right' ? 'right' : 'left';
  const cells = {
    label: { runs: label, size: TEXT_SIZE, color: isSum ? ink : soft, isBold: isSum },
    value: {
      runs: fact.value,
      size: isExact ? EXACT_SIZE : TEXT_SIZE,
      color: ink,
      isBold: isExact || isSum,
      align,
    },
    note: { runs: fact.note, size: SMALL_SIZE, color: soft, isBold: false, align },
  } as const;
  const labelBox = { left: MARGIN + inset, width: LABEL_WIDTH - inset };
  const valueLeft = MARGIN + LABEL_WIDTH + GAP;
  const valueBox = { left: valueLeft, width: MARGIN + width - inset - valueLeft };
  const valueHeight = heightOf(writer, cells.value, valueBox.width);
  const height = Math.max(
    heightOf(writer, cells.label, labelBox.width),
    valueHeight + heightOf(writer, cells.note, valueBox.width),
  );
  ensureRoom(doc, height + 2 * padding);
  const top = doc.y + padding;
  const bottom = top + height + padding;
  artifact(doc, () => {
    if (isExact) doc.rect(MARGIN, doc.y, width, bottom - doc.y).fill(ground);
    else rule(doc, isSum ? doc.y : bottom, isSum ? ink : line);
  });
  const row = elementIn(doc, table, 'TR');
  writeCell(writer, elementIn(doc, row, 'TH'), cells.label, { ...labelBox, top });
  const data = elementIn(doc, row, 'TD');
  writeCell(writer, elementIn(doc, data, 'P'), cells.value, { ...valueBox, top });
  if (fact.note.length > 0) {
    const below = { ...valueBox, top: top + valueHeight };
    writeCell(writer, elementIn(doc, data, 'P'), cells.note, below);
  }
  data.end();
  row.end();
  doc.y = bottom;
}

/** The first column is as wide as two others. */
function writeTable(writer: Writer, rows: TablePart['rows']): void {
  const { doc, root, width } = writer;
  const columns = Math.max(...rows.map((row) => row.length)) + 1;
  const padding = ROW_PADDING * writer.spacing;
  const figure = (width - GAP * (columns - 2)) / columns;
  const table = elementIn(doc, root, 'Table');
  doc.y += textStyles.text.above * writer.spacing;
  for (const [position, row] of rows.entries()) {
    const isHead = position === 0;
    const boxes = row.map((runs, column) => ({
      cell: {
        runs,
        size: isHead ? SMALL_SIZE : TEXT_SIZE,
        color: isHead ? soft : ink,
        isBold: false,
        align: column === 0 ? 'left' : 'right',
      } as const,
      left: column === 0 ? MARGIN : MARGIN + (column + 1) * figure + column * GAP,
      width: column === 0 ? 2 * figure : figure,
    }));
    const height = Math.max(...boxes.map((box) => heightOf(writer, box.cell, box.width)));
    ensureRoom(doc, height + 2 * padding);
    const top = doc.y + padding;
    const bottom = top + height + padding;
    artifact(doc, () => rule(doc, bottom, line));
    const shown = elementIn(doc, table, 'TR');
    for (const { cell, ...box } of boxes) {
      writeCell(writer, elementIn(doc, shown, isHead ? 'TH' : 'TD'), cell, { ...box, top });
    }
    shown.end();
    doc.y = bottom;
  }
  table.end();
}

interface Cell {
  readonly runs: readonly StyledText[];
  readonly size: number;
  readonly color: string;
  readonly isBold: boolean;
  readonly align?: 'left' | 'right';
}

type Box = Readonly<{ left: number; top: number; width: number }>;

function heightOf({ doc }: Writer, { runs, size, isBold }: Cell, width: number): number {
  if (runs.length === 0) return 0;
  const text = runs.map((run) => drawnText(run.text)).join('');
  const isAnyBold = isBold || runs.some((run) => run.isBold);
  return doc
    .font(fontOf(isAnyBold))
    .fontSize(size)
    .heightOfString(text, { width, lineGap: LINE_GAP });
}

/** Writes the content of the element, and ends it. The next line starts below it. */
function writeCell(writer: Writer, element: Element, cell: Cell, box: Box): void {
  const { doc } = writer;
  const { runs, size, color, isBold, align = 'left' } = cell;
  doc.fontSize(size).fillColor(color);
  for (const [position, run] of runs.entries()) {
    const text = drawnText(run.text);
    const isLast = position === runs.length - 1;
    const span = elementIn(doc, element, 'Span');
    span.add(doc.markStructureContent('Span'));
    doc.font(fontOf(isBold || run.isBold));
    const options = { width: box.width, align, lineGap: LINE_GAP, continued: !isLast };
    // Programs that read the text need a space between two texts.
    const shown = isLast ? `${text} ` : text;
    if (position === 0) doc.text(shown, box.left, box.top, options);
    else doc.text(shown, options);
    doc.endMarkedContent();
    span.end();
  }
  element.end();
}

function fontOf(isBold: boolean): 'bold' | 'regular' {
  return isBold ? 'bold' : 'regular';
}

/** A new element at the end of another one. */
function elementIn(doc: Doc, parent: Element, type: string): Element {
  const element = doc.struct(type);
  parent.add(element);
  return element;
}

/** What is drawn is no content. */
function artifact(doc: Doc, draw: () => void): void {
  const { x, y } = doc;
  doc.markContent('Artifact', { type: 'Layout' });
  draw();
  doc.endMarkedContent();
  doc.x = x;
  doc.y = y;
}

function rule(doc: Doc, y: number, color: string): void {
  doc
    .moveTo(MARGIN, y)
    .lineTo(doc.page.width - MARGIN, y)
    .lineWidth(0.5)
    .stroke(color);
}

function ensureRoom(doc: Doc, height: number): void {
  if (doc.y + height > doc.page.height - MARGIN && doc.y > MARGIN) doc.addPage();
}

async function finish({ doc, root }: Writer, { footer, watermark }: PdfAbout): Promise<Uint8Array> {
  const { start, count } = doc.bufferedPageRange();
  for (let number = start; number < start + count; number += 1) {
    doc.switchToPage(number);
    // Below the margin, text would start a page.
    doc.page.margins.bottom = 0;
    artifact(doc, () => {
      const width = doc.page.width - 2 * MARGIN;
      const top = doc.page.height - MARGIN / 2 - 10;
      const line = { width, align: 'right', lineBreak: false } as const;
      doc.font('regular').fontSize(SMALL_SIZE).fillColor(soft);
      doc.text(`${footer} · ${number + 1}/${count}`, MARGIN, top, line);
      if (watermark !== null) drawWatermark(doc, watermark);
    });
  }
  root.end();
  doc.end();
  const chunks: Buffer[] = [];
  for await (const chunk of doc as unknown as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function drawWatermark(doc: Doc, text: string): void {
  const [x, y] = [doc.page.width / 2, doc.page.height / 2];
  doc.save().rotate(-35, { origin: [x, y] });
  doc.font('bold').fontSize(150).fillColor('#5629a3', 0.07);
  doc.text(text, x - doc.widthOfString(text) / 2, y - 100, { lineBreak: false });
  doc.restore();
}
