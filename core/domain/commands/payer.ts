// What a bank says about who sent a transfer. Personal data: never logged.

export interface Payer {
  readonly name: string | null;
  readonly bank: string | null;
  /** What the payer wrote: a code, a reference, a text. */
  readonly texts: readonly string[];
  /** The bank's number of the transfer. */
  readonly trace: string | null;
}
