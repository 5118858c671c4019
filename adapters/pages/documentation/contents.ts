// The Markdown pages of the documentation: OPERATIONS.md lists them in groups, each with what it is
// about, and adapters/docs/ has their texts. A page that is not listed is not served.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export interface ListedPage {
  /** `guides/payments` or `manual/backup`, below /docs. */
  readonly path: string;
  readonly label: string;
  readonly about: string;
  /** Below adapters/docs/. */
  readonly file: string;
}

export type ListedGroup = Readonly<{ name: string; pages: readonly ListedPage[] }>;

export type Contents = Readonly<{ guides: readonly ListedGroup[]; manual: readonly ListedGroup[] }>;

/** The root of the package: above dist/ in a build, further above in the sources. */
const root = ['../', '../../../']
  .map((up) => new URL(up, import.meta.url))
  .find((folder) => existsSync(new URL('adapters/docs/', folder)));

export async function readContents(): Promise<Contents> {
  const text = await readFile(new URL('OPERATIONS.md', root), 'utf8');
  const groups = text.split(/^## /m).slice(1).map(groupOf);
  const isGuide = ({ pages: [first] }: ListedGroup) => first?.path.startsWith('guides/') ?? false;
  return { guides: groups.filter(isGuide), manual: groups.filter((group) => !isGuide(group)) };
}

export function readText({ file }: ListedPage): Promise<string> {
  return readFile(new URL(`adapters/docs/${file}`, root), 'utf8');
}

/** What a client file has beside types and operations. */
export function readClientFrame(file: string): Promise<string> {
  return readFile(new URL(`adapters/docs/clients/${file}`, root), 'utf8');
}

export function listedPages({ guides, manual }: Contents): readonly ListedPage[] {
  return [...guides, ...manual].flatMap(({ pages }) => pages);
}

function groupOf(section: string): ListedGroup {
  const [name = ''] = section.split('\n', 1);
  const items = section.matchAll(/^- \[(.+?)\]\(adapters\/docs\/(.+?\.md)\): ([\s\S]*?\.)$/gm);
  const pages = [...items].map(([, label = '', file = '', about = '']) => ({
    path: pathOf(file),
    label,
    about: sentence(about),
    file,
  }));
  return { name, pages };
}

function pathOf(file: string): string {
  const name = file.replace(/^.*\/|\.md$/g, '');
  return file.startsWith('guides/') ? `guides/${name}` : `manual/${name}`;
}

function sentence(about: string): string {
  const words = about.replaceAll(/\s+/g, ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
