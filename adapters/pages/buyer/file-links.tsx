// The links to the print view of a page and to its file.
import type { FilePage } from '../hosted/page-view.js';
import type { PaymentScene } from '../hosted/scene.js';
import { ButtonLink } from '../kit/components.js';

export interface FileLinksProps {
  readonly scene: PaymentScene;
  readonly page: FilePage;
  /** What the link to the print view says where there is a file, too. */
  readonly print: string;
}

/** One link where no file shows the texts: a browser prints them, or saves them itself. */
export function FileLinks({ scene, page, print }: FileLinksProps) {
  const { texts, view, hasFile } = scene;
  const path = `${view.path}/${page}`;
  return [
    <ButtonLink href={`${path}#print`} icon="print">
      {hasFile ? print : texts.frame.printOrSave}
    </ButtonLink>,
    hasFile ? (
      <ButtonLink href={`${path}.pdf`} icon="download" text={texts.frame.downloadPdf} />
    ) : null,
  ];
}
