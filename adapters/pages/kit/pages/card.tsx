// A part of a page: a heading, what stands at the end of its line, and what is below them.
import type { ComponentChildren } from 'preact';

export function Card({
  heading,
  aside,
  id,
  isStack,
  children,
}: {
  readonly heading: ComponentChildren;
  /** At the end of its line: a link, or a few quiet words. */
  readonly aside?: ComponentChildren;
  /** Then the part is a region with the name of its heading. */
  readonly id?: string;
  /** With room between its parts. */
  readonly isStack?: true;
  readonly children: ComponentChildren;
}) {
  const title = <h2 id={id}>{heading}</h2>;
  return (
    <section class={isStack ? 'card stack' : 'card'} aria-labelledby={id}>
      {aside === undefined || aside === null ? (
        title
      ) : (
        <div class="line ends">
          {title}
          {typeof aside === 'string' ? <span class="small quiet">{aside}</span> : aside}
        </div>
      )}
      {children}
    </section>
  );
}
