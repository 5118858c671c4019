// What lists share: the address that keeps their filters, and the links between their pages.
import type { ComponentChildren, VNode } from 'preact';
import { Icon } from '../kit/icons.js';
import { useDashboard } from './dashboard-scene.js';

/** The address of a list with these filters; those that are not given are left out. */
export function listPath(
  path: string,
  filters: Readonly<Record<string, string | null | undefined>>,
): string {
  const given = Object.entries(filters).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  const query = new URLSearchParams(given);
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Links to the newest page and to the one behind the last row. */
export function Pager({
  newest,
  newer = null,
  older,
  children,
}: {
  /** Null on the newest page. */
  readonly newest: string | null;
  /** The page before this one, in lists that go both ways. */
  readonly newer?: string | null;
  /** Null on the last one. */
  readonly older: string | null;
  readonly children?: ComponentChildren;
}): VNode {
  const { texts } = useDashboard();
  return (
    <nav class="pager" aria-label={texts.frame.pages}>
      <span class="quiet">{children}</span>
      <span class="actions">
        {newest === null ? null : (
          <a class="btn sm" href={newest}>
            {newer === null ? <Icon name="newer" /> : null}
            {texts.frame.newest}
          </a>
        )}
        {newer === null ? null : (
          <a class="btn sm" href={newer}>
            <Icon name="newer" />
            {texts.frame.newer}
          </a>
        )}
        {older === null ? null : (
          <a class="btn sm" href={older}>
            {texts.frame.older}
            <Icon name="older" />
          </a>
        )}
      </span>
    </nav>
  );
}

/** In place of a list without rows. `onward` leads on where a search ended before the list does. */
export function NoRows({
  heading,
  text,
  onward = null,
}: {
  readonly heading: string;
  readonly text: string;
  readonly onward?: { readonly path: string; readonly words: string } | null;
}): VNode {
  return (
    <div class="card empty">
      <h2>{heading}</h2>
      <p>{text}</p>
      {onward === null ? null : (
        <p class="gap">
          <a class="btn" href={onward.path}>
            {onward.words}
          </a>
        </p>
      )}
    </div>
  );
}
