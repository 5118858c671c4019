// The search at the top of each page. In a list with a search it looks in that list; elsewhere in
// what the audience declares.
import { Icon } from '../icons.js';
import { useFrame } from '../page-frame.js';

/** The filter of a list, and the name of the field, in every list that has one. */
export const SEARCHED = 'q';
const LENGTH_MAX = 200;

export interface SearchLook {
  /** The path of the list. */
  readonly path: string;
  /** What is found: the name of the list. */
  readonly of: string;
  /** By what it is found. */
  readonly by: string;
  /** The filters that are set; of those of other pages, none. */
  readonly given?: Readonly<Record<string, string | null>>;
}

export function SearchField({ path, of, by, given = {} }: SearchLook) {
  const { texts } = useFrame();
  const { [SEARCHED]: value = null, ...kept } = given;
  return (
    <search>
      <form class="find" method="get" action={path}>
        <button type="submit">
          <Icon name="search" />
          <span class="vh">{texts.search}</span>
        </button>
        <input
          type="search"
          name={SEARCHED}
          value={value ?? ''}
          maxLength={LENGTH_MAX}
          autocomplete="off"
          placeholder={by}
          aria-label={`${of}: ${by}`}
        />
        <kbd hidden>/</kbd>
        {Object.entries(kept).map(([name, set]) =>
          set === null ? null : <input type="hidden" name={name} value={set} />,
        )}
      </form>
    </search>
  );
}
