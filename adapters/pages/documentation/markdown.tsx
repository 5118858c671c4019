// Markdown as elements of a page. Nothing becomes HTML but the elements below: HTML in a text is
// shown as it is written.
import { Lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren, VNode } from 'preact';
import { Scroll } from '../kit/components.js';
import { CodeBlock } from './code-blocks.js';

export type Heading = Readonly<{ id: string; words: string; depth: number }>;

/** What a text refers to. */
export interface Surroundings {
  /** The address of a link; null if the documentation does not have its target. */
  readonly addressOf: (target: string) => string | null;
  /** A fenced request. */
  readonly request: (text: string) => VNode;
}

export function renderMarkdown(text: string, around: Surroundings) {
  const tokens = Lexer.lex(text);
  const [first, ...rest] = tokens.filter(({ type }) => type !== 'space');
  const ids = new Set<string>();
  const headings: Heading[] = [];
  const [second] = rest;
  const hasLede = second?.type === 'paragraph';
  const body = rest.slice(hasLede ? 1 : 0).map((token) => {
    if (token.type !== 'heading') return block(token, around);
    const words = plain(token);
    const id = unused(anchorOf(words), ids);
    headings.push({ id, words, depth: token['depth'] as number });
    const Tag = `h${token['depth']}` as 'h2';
    return <Tag id={id}>{inlines(token, around)}</Tag>;
  });
  return {
    /** Its first heading. */
    title: first === undefined ? '' : plain(first),
    /** The paragraph after the title. */
    lede: hasLede ? inlines(second, around) : undefined,
    headings,
    body,
  };
}

/** The text between the headings, with the anchors of `renderMarkdown`. */
export function markdownSections(text: string) {
  const [, ...tokens] = Lexer.lex(text).filter(({ type }) => type !== 'space');
  const ids = new Set<string>();
  const sections: { id: string | null; heading: string; texts: string[] }[] = [
    { id: null, heading: '', texts: [] },
  ];
  for (const token of tokens) {
    const heading = plain(token);
    if (token.type === 'heading') {
      sections.push({ id: unused(anchorOf(heading), ids), heading, texts: [] });
    } else sections.at(-1)?.texts.push(written(token));
  }
  return sections.map(({ id, heading, texts }) => {
    return { id, heading, text: texts.join(' ').replaceAll(/\s+/g, ' ') };
  });
}

/** The words of any block, those of lists, tables and code included. */
function written(token: Token): string {
  if (token.type === 'list') return (token as Tokens.List).items.map(written).join(' ');
  if (token.type === 'table') {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows]
      .flat()
      .map((cell) => cell.tokens.map(written).join(''))
      .join(' ');
  }
  if (token.type === 'html') return '';
  const children = childrenOf(token);
  if (children.length > 0) return children.map(written).join(isInline(token) ? '' : ' ');
  return 'text' in token ? String(token['text']) : '';
}

function isInline({ type }: Token): boolean {
  return type !== 'list_item' && type !== 'blockquote';
}

/** One paragraph or less: the words of an element. */
export function inlineMarkdown(text: string, around: Surroundings): ComponentChildren {
  return Lexer.lexInline(text).map((token) => inline(token, around));
}

/** As code hosts make them, so that links work there too. */
function anchorOf(words: string): string {
  return words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function unused(anchor: string, ids: Set<string>): string {
  let id = anchor;
  for (let number = 1; ids.has(id); number += 1) id = `${anchor}-${number}`;
  ids.add(id);
  return id;
}

function block(token: Token, around: Surroundings): ComponentChildren {
  switch (token.type) {
    case 'paragraph':
      return <p>{inlines(token, around)}</p>;
    case 'text':
      return inlines(token, around);
    case 'code':
      return token['lang'] === 'http' ? (
        around.request(token['text'])
      ) : (
        <CodeBlock
          label={codeLabels[token['lang'] ?? ''] ?? 'Example'}
          text={token['text']}
          language={token['lang'] ?? ''}
        />
      );
    case 'list':
      return list(token as Tokens.List, around);
    case 'table':
      return table(token as Tokens.Table, around);
    case 'blockquote':
      return <blockquote>{blocks(token, around)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'html':
      return /^<!--[\s\S]*-->\s*$/.test(token.raw) ? null : token.raw;
    default:
      return null;
  }
}

const codeLabels: Readonly<Record<string, string>> = {
  sh: 'Commands',
  ts: 'TypeScript',
  js: 'JavaScript',
  json: 'JSON',
  text: 'Text',
};

function blocks(token: Token, around: Surroundings): ComponentChildren {
  return childrenOf(token).map((child) => block(child, around));
}

function list({ ordered, start, items }: Tokens.List, around: Surroundings) {
  const children = items.map((item) => <li>{blocks(item, around)}</li>);
  if (!ordered) return <ul>{children}</ul>;
  return <ol start={start === '' || start === 1 ? undefined : start}>{children}</ol>;
}

function table({ header, rows }: Tokens.Table, around: Surroundings) {
  const cells = (all: readonly Tokens.TableCell[]) =>
    all.map(({ tokens }) => tokens.map((token) => inline(token, around)));
  const label = header.map(({ text }) => text).join(', ');
  return (
    <Scroll label={label}>
      <table class="doc">
        <thead>
          <tr>
            {cells(header).map((cell) => (
              <th scope="col">{cell}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {cells(row).map((cell) => (
                <td>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

function inlines(token: Token, around: Surroundings): ComponentChildren {
  const children = childrenOf(token);
  if (children.length === 0 && 'text' in token) return token['text'];
  return children.map((child) => inline(child, around));
}

function inline(token: Token, around: Surroundings): ComponentChildren {
  switch (token.type) {
    case 'strong':
      return <b>{inlines(token, around)}</b>;
    case 'em':
      return <em>{inlines(token, around)}</em>;
    case 'codespan':
      return <code class="code">{token['text']}</code>;
    case 'br':
      return <br />;
    case 'link': {
      const address = around.addressOf(token['href']);
      const words = inlines(token, around);
      return address === null ? words : <a href={address}>{words}</a>;
    }
    case 'image':
      return token['text'];
    case 'html':
      return token.raw;
    default:
      return inlines(token, around);
  }
}

function plain(token: Token): string {
  const children = childrenOf(token);
  if (children.length > 0) return children.map(plain).join('').replaceAll('\n', ' ');
  return 'text' in token ? String(token['text']).replaceAll('\n', ' ') : '';
}

function childrenOf(token: Token): readonly Token[] {
  return ('tokens' in token ? token.tokens : undefined) ?? [];
}
