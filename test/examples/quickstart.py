"""From a key to a settled payment. Beside ponte.py: PONTE_URL=… PONTE_KEY=pk_test_… python3 quickstart.py"""

import os
import uuid

from ponte import BuyerHint, CreatePaymentIntent, Ponte, PonteError

ponte = Ponte(os.environ["PONTE_URL"], api_key=os.environ["PONTE_KEY"])

order = str(uuid.uuid4())
created = ponte.create_payment_intent(
    CreatePaymentIntent(externalId=order, amount="250.00", buyer=BuyerHint(email="ana@buyer.example")),
    idempotency_key=order,
)
print("created", created.amount, created.currency)

# Test mode plays the buyer and the settlement partner.
ponte.advance_test_payment(created.id, {})
for event, epoch in ponte.events(0):
    if event.event == "payment_intent.settled" and event.data["paymentIntentId"] == created.id:
        print("settled", event.data["externalId"] == order)
        break

listed = [payment.id for payment in ponte.iter_payments(limit=1, status="settled")]
print("listed", created.id in listed)

try:
    ponte.read_payment("pi_unknown")
except PonteError as refused:
    print("refused", refused.code)
