#!/bin/sh
# Creates a seller that can be paid, an invoice that settles to it, and pays it in test mode.
# KEY=pk_test_… sh seller-and-invoice.sh
set -eu
URL=${PONTE_URL:-http://127.0.0.1:8080}

post() { # path, JSON body
  curl -sS --fail-with-body "$URL$1" -H "X-API-Key: $KEY" \
    -H 'Content-Type: application/json' -d "$2"
  echo
}
field() { # the first text field of this name in the JSON on stdin
  grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4
}

# A connected account: created, terms accepted, dossier submitted, PIX destination registered.
SELLER=$(post /v1/connected-accounts \
  '{"role":"seller","entityType":"business","externalId":"seller-1"}' | field id)
post "/v1/connected-accounts/$SELLER/tos-session" '{"redirectUrl":"https://erp.example/terms"}'
post "/v1/connected-accounts/$SELLER/tos-accepted" '{"tosId":"tos_1"}'
UPLOAD=$(post "/v1/connected-accounts/$SELLER/upload-url" \
  '{"kind":"incorporation_doc","contentType":"application/pdf"}')
echo 'articles of association' | curl -sS --fail-with-body -T - "$(echo "$UPLOAD" | field uploadUrl)" \
  -H 'Content-Type: application/pdf'
echo
post "/v1/connected-accounts/$SELLER/submit" "{\"email\":\"eva@lima.example\",
  \"legalName\":\"Lima Ltda\",\"cnpj\":\"11.222.333/0001-81\",
  \"incorporationDocFile\":\"$(echo "$UPLOAD" | field publicUrl)\"}"
post "/v1/connected-accounts/$SELLER/payout-config" \
  '{"pixKey":"eva@lima.example","accountHolderName":"Eva Lima"}'

# An invoice, mailed to the buyer.
INVOICE=$(post /v1/invoices '{"number":"2030/17","externalId":"invoice-7","amount":"980.00",
  "dueDate":"2030-02-28","buyer":{"email":"ana@buyer.example"},"sellerExternalId":"seller-1"}' \
  | field id)
post /v1/invoices/ext_invoice-7/invite-buyer '{}'

# Test mode only: play the buyer and the partner.
post "/v1/test-helpers/payments/$INVOICE/advance" '{}'
