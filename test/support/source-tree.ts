// Reads the project's own files for the tests that check how they look: which files there are,
// their text, their code without comments and strings, what they import, and how long their
// functions are. It judges nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ts as TypeScript } from '@ts-morph/common';

const require = createRequire(import.meta.url);

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Arguments of Node for a process that runs sources. */
export const loadTypeScript: readonly string[] = [
  '--import',
  join(projectRoot, 'test/support/load-typescript.ts'),
];

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Every file of the project, without what .gitignore names. */
export function projectFiles(): readonly SourceFile[] {
  const paths: string[] = [];
  const ignored = ignoredNames();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(projectRoot, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (ignored(entry.name)) continue;
      if (entry.isDirectory()) walk(path);
      else paths.push(path);
    }
  };
  walk('.');
  return paths
    .sort()
    .map((path) => ({ path, text: readFileSync(join(projectRoot, path), 'utf8') }));
}

/** What a file imports: packages as written, files of the project as paths from its root. */
export function importsOf(file: SourceFile): readonly string[] {
  // Found in the code, so that an import inside a string is none; the name is read from the text.
  const words = [...codeOf(file).matchAll(/\b(from|import|require)\b/g)];
  return words.flatMap(({ index, 0: word }) => {
    const rest = file.text.slice(index + word.length);
    const name = (word === 'from' ? /^\s*['"]([^'"]+)/ : /^\s*\(?\s*['"]([^'"]+)/).exec(rest)?.[1];
    if (name === undefined) return [];
    return name.startsWith('.') ? posix.join(posix.dirname(file.path), name) : name;
  });
}

/** The package that an import names: `@scope/name` or `name`, without a path inside it. */
export function packageOf(imported: string): string {
  return imported
    .split('/')
    .slice(0, imported.startsWith('@') ? 2 : 1)
    .join('/');
}

/** Every function: its first line, and its lines with those inside it, but for those of texts. */
export function functionsOf({ path, text }: SourceFile): readonly { at: number; lines: number }[] {
  if (!/\.tsx?$/.test(path)) return [];
  // Most processes need only the other functions, which load in a third of the time.
  const { ts } = require('@ts-morph/common') as typeof import('@ts-morph/common');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const lineAt = (offset: number) => source.getLineAndCharacterOfPosition(offset).line;
  const linesAfterFirst = (node: TypeScript.Node) =>
    lineAt(node.end) - lineAt(node.getStart(source));
  const found: { at: number; lines: number }[] = [];
  const linesOfTexts = (node: TypeScript.Node): number => {
    if (ts.isTemplateLiteral(node)) return linesAfterFirst(node);
    let texts = 0;
    ts.forEachChild(node, (child) => {
      texts += linesOfTexts(child);
    });
    if (ts.isFunctionLike(node)) {
      const at = lineAt(node.getStart(source)) + 1;
      found.push({ at, lines: linesAfterFirst(node) + 1 - texts });
    }
    return texts;
  };
  linesOfTexts(source);
  return found;
}

/** The code alone: comments, strings and regular expressions are blank, every offset is kept. */
export function codeOf(file: SourceFile): string {
  return file.text.replace(notCode, (piece) =>
    // Code inside a template's ${} stays code.
    piece.startsWith('`')
      ? piece.replace(/(\$\{[^{}]*\})|[^\n]/g, (_, code: string | undefined) => code ?? ' ')
      : piece.replace(/[^\n]/g, ' '),
  );
}

const notCode = new RegExp(
  [
    String.raw`\/\/[^\n]*`,
    String.raw`\/\*[\s\S]*?\*\/`,
    String.raw`'(?:\\[\s\S]|[^'\\\n])*'`,
    String.raw`"(?:\\[\s\S]|[^"\\\n])*"`,
    '`(?:\\\\[\\s\\S]|\\$\\{[^{}]*\\}|[^`\\\\])*`',
    // A slash starts a regular expression only where a value may start; `} />` ends an element.
    String.raw`(?<=[(,=>:[!&|?{};\n]\s*|\breturn\s)` +
      String.raw`(?!(?<=\}\s*)\/>)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/`,
  ].join('|'),
  'g',
);

function ignoredNames(): (name: string) => boolean {
  const patterns = readFileSync(join(projectRoot, '.gitignore'), 'utf8').split('\n');
  const names = new Set([...patterns.map((pattern) => pattern.replace(/\/$/, '')), '.git']);
  const endings = patterns.filter((pattern) => pattern.startsWith('*')).map((p) => p.slice(1));
  return (name) => names.has(name) || endings.some((ending) => name.endsWith(ending));
}

/** The regular expressions that the code of a file has as literals. */
export function patternsOf({ path, text }: SourceFile): readonly RegExp[] {
  const { ts } = require('@ts-morph/common') as { readonly ts: typeof TypeScript };
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, kind);
  const found: RegExp[] = [];
  const visit = (node: TypeScript.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const [, body = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(node.text) ?? [];
      found.push(new RegExp(body, flags));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
