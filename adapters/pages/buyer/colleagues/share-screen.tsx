// Links with which colleagues of the buyer see the bank details, and nothing else.
import {
  COLLEAGUE_LINKS_MAX,
  type ColleagueLink,
} from '../../../../core/usecases/hosted/colleague-links.js';
import type { ScreenContent } from '../../hosted/layout.js';
import type { Page } from '../../hosted/page-view.js';
import type { PaymentScene } from '../../hosted/scene.js';
import { ButtonForm, ButtonLink, Note, Rows, Time } from '../../kit/components.js';
import { Card } from '../../kit/pages/card.js';

export function shareScreen(
  scene: PaymentScene,
  { links, url }: Extract<Page, { name: 'share' }>,
): ScreenContent {
  const { texts, view } = scene;
  const words = texts.share;
  return {
    title: words.heading,
    lede: words.lede,
    station: null,
    body: [
      url === null ? null : (
        <Card heading={words.made} isStack>
          <Rows
            look="copy"
            rows={[
              {
                label: words.url,
                value: url,
                look: 'code',
                copy: { value: url, label: words.url },
              },
            ]}
          />
          <p class="small quiet">{words.madeText}</p>
        </Card>
      ),
      <section class="stack">
        <h2>{words.list}</h2>
        {links.length === 0 ? <p>{words.none}</p> : null}
        {links.map((link) => (
          <OpenLink scene={scene} link={link} />
        ))}
      </section>,
      links.length < COLLEAGUE_LINKS_MAX ? null : <Note>{words.full}</Note>,
      <div class="actions">
        {links.length < COLLEAGUE_LINKS_MAX ? (
          <ButtonForm to="share" look={url === null ? 'primary' : undefined} text={words.make} />
        ) : null}
        <ButtonLink href={view.path}>{texts.frame.back}</ButtonLink>
      </div>,
    ],
  };
}

function OpenLink({
  scene: { texts },
  link,
}: Readonly<{ scene: PaymentScene; link: ColleagueLink }>) {
  const words = texts.share;
  const { openedAtMs } = link;
  return (
    <div class="card stack-s">
      <Rows
        rows={[
          {
            label: words.seen,
            value: openedAtMs === null ? words.never : <Time atMs={openedAtMs} />,
          },
          { label: words.until, value: <Time atMs={link.endsAtMs} /> },
        ]}
      />
      <ButtonForm to="share/end" values={{ link: link.id }} look="sm" text={words.end} />
    </div>
  );
}
