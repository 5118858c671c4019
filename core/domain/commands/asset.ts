// The stablecoin that a transfer at the partner moved. Regulators ask for it per transfer.

/** A fact is null if the partner does not report it. */
export interface Asset {
  /** Its symbol, as `USDC`. */
  readonly token: string;
  /** The blockchain, as `polygon`. */
  readonly network: string | null;
  /** Units of the token, a decimal string. */
  readonly quantity: string | null;
  readonly transactionHash: string | null;
  readonly fromWallet: string | null;
  readonly toWallet: string | null;
}

/** As `99.20 USDC (polygon)`. */
export function assetText({ token, network, quantity }: Asset): string {
  const amount = quantity === null ? token : `${quantity} ${token}`;
  return network === null ? amount : `${amount} (${network})`;
}
