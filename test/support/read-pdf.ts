// Reads a PDF back as a program does: its text by page, its tags and what it says about itself.
import { getDocumentProxy } from 'unpdf';

export interface ReadPdf {
  readonly title: unknown;
  readonly language: unknown;
  readonly isTagged: boolean;
  readonly pages: number;
  /** In the order of the file, with single spaces. */
  readonly text: string;
  /** The roles of all tags in reading order, such as `Table TR TH Span`. */
  readonly roles: readonly string[];
}

interface TagNode {
  readonly role?: string;
  readonly children?: readonly TagNode[];
}

export async function readPdf(bytes: Uint8Array): Promise<ReadPdf> {
  const pdf = await getDocumentProxy(new Uint8Array(bytes));
  const { info } = await pdf.getMetadata();
  const about = info as Readonly<Record<string, unknown>>;
  const marks = await pdf.getMarkInfo();
  const texts: string[] = [];
  const roles: string[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    texts.push(items.map((item) => ('str' in item ? item.str : '')).join(''));
    roles.push(...rolesOf((await page.getStructTree()) as TagNode));
  }
  const pages = pdf.numPages;
  await pdf.loadingTask.destroy();
  return {
    title: about['Title'],
    language: about['Language'],
    isTagged: marks?.['Marked'] === true,
    pages,
    text: texts.join(' ').replace(/\s+/g, ' '),
    roles,
  };
}

function rolesOf({ role, children = [] }: TagNode): readonly string[] {
  return [...(role === undefined ? [] : [role]), ...children.flatMap(rolesOf)];
}
