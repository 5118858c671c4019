// Drawings beside words: inline, so that a page needs no further request, and hidden from screen
// readers, because the word says the same.
import type { VNode } from 'preact';

const shapes = {
  add: <path d="M12 5v14M5 12h14" />,
  again: <path d="M19.5 9A8 8 0 1 0 20 13M20 4v5h-5" />,
  alert: [<circle cx="12" cy="12" r="9" />, <path d="M12 7.5v5.5M12 16.3v.01" />],
  back: <path d="M9 14 4 9l5-5M4 9h9a6 6 0 0 1 0 12h-3" />,
  bolt: <path d="M13 3 5 14h6l-1 7 8-11h-6z" />,
  book: <path d="M5 4h11a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11" />,
  bridge: <path d="M2.5 8h19M5.5 18.5a7.5 9 0 0 1 13 0" />,
  briefcase: <path d="M4 8h16v11H4zM9 8V5h6v3M4 13h16" />,
  calendar: <path d="M5 6h14v14H5zM5 10h14M9 3v4m6-4v4" />,
  clock: [<circle cx="12" cy="12" r="9" />, <path d="M12 7v5l3.5 2" />],
  copy: [
    <rect x="9" y="9" width="11" height="11" rx="2" />,
    <path d="M5 15H4V5a1 1 0 0 1 1-1h10v1" />,
  ],
  cross: <path d="m6 6 12 12M18 6 6 18" />,
  download: <path d="M12 4v11m-5-5 5 5 5-5M5 20h14" />,
  flag: <path d="M6 21V4h11l-2 4 2 4H6" />,
  gear: [
    <circle cx="12" cy="12" r="3" />,
    <path d="M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1" />,
    <path d="M18.4 5.6l-2.1 2.1M7.7 16.3l-2.1 2.1" />,
  ],
  home: <path d="M4 11 12 4l8 7v9h-5v-6H9v6H4z" />,
  info: [<circle cx="12" cy="12" r="9" />, <path d="M12 11v5M12 8v.01" />],
  invoice: <path d="M6 3h9l4 4v14H6zM9 12h7M9 16h5" />,
  key: [<circle cx="8" cy="15" r="4" />, <path d="m11 12 8-8M16 7l3 3" />],
  list: <path d="M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  newer: <path d="M20 12H5m6-6-6 6 6 6" />,
  ok: <path d="m5 12.5 4.5 4.5L19 7.5" />,
  older: <path d="M4 12h15m-6-6 6 6-6 6" />,
  open: <path d="M14 5h5v5M19 5l-8 8M11 6H5v13h13v-6" />,
  people: [
    <circle cx="9" cy="8" r="3.5" />,
    <path d="M3 20c0-4 3-6 6-6s6 2 6 6M16 5a3.5 3.5 0 0 1 0 6.5M21 20c0-3-1.5-5-4-5.7" />,
  ],
  phone: [<rect x="7" y="3" width="10" height="18" rx="2" />, <path d="M11 17.5h2" />],
  plus: <path d="M12 5v14M5 12h14" />,
  print: <path d="M7 9V4h10v5M7 17H4v-7h16v7h-3M7 14h10v6H7z" />,
  pulse: <path d="M4 12h4l3-8 3 16 2-8h4" />,
  search: [<circle cx="11" cy="11" r="6" />, <path d="m15.5 15.5 4.5 4.5" />],
  shield: (
    <path d="M12 3 5 6v5.5c0 4.3 2.9 7.8 7 9.5 4.1-1.7 7-5.2 7-9.5V6zM9 12l2.2 2.2L15.2 10" />
  ),
  store: <path d="M4 10 6 4h12l2 6M4 10v10h16V10M4 10h16M10 20v-6h4v6" />,
  swap: <path d="M4 8h13l-3-3M20 16H7l3 3" />,
  warning: <path d="M12 4 2.8 19.5h18.4zM12 10v4.5M12 17v.01" />,
} satisfies Readonly<Record<string, VNode | VNode[]>>;

export type IconName = keyof typeof shapes;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true">
      {shapes[name]}
    </svg>
  );
}

/** A deck, its arch, the name. */
export function Mark() {
  return (
    <span class="mark">
      <svg viewBox="0 0 28 21" aria-hidden="true">
        <path d="M2 5h24" />
        <path d="M4.5 19a9.5 14 0 0 1 19 0" />
      </svg>
      Ponte
    </span>
  );
}
