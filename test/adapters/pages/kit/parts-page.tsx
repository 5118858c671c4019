// A page with every field and part that forms use, in its states: for the gallery and for axe.
import type { ScreenContent } from '../../../../adapters/pages/hosted/layout.js';
import { Button, Form } from '../../../../adapters/pages/kit/components.js';
import {
  CheckField,
  DateField,
  FileInput,
  FileRow,
  RadioField,
  SelectField,
  TextField,
} from '../../../../adapters/pages/kit/fields.js';

const accept = 'image/jpeg,image/png,application/pdf';
const missing = 'Choose a file for the proof of ownership.';

export function partsPage(): ScreenContent {
  return {
    title: 'Parts of forms',
    eyebrow: 'Step 5 of 7',
    lede: 'Photos or scans are fine.',
    station: 'payer',
    errors: [
      { field: 'postalCode', text: 'Enter the postal code.' },
      { field: 'ownership', text: missing },
    ],
    aside: (
      <section>
        <h2>Steps</h2>
        <ol class="steps">
          <li class="done">
            <a href="#main">Company</a>
          </li>
          <li class="todo" aria-current="step">
            <a href="#main">Documents</a>
            <span>2 to correct</span>
          </li>
          <li>
            <div>Check your answers</div>
          </li>
        </ol>
      </section>
    ),
    body: (
      <>
        <Fields />
        <section class="card">
          <h2>Harbor & Pine Roasters, Inc.</h2>
          <ul class="files">
            <FileRow
              id="incorporation"
              title="Incorporation document"
              hint="Certificate with name, date and number."
              state={{ look: 'ok', text: 'Received' }}
              form={null}
            />
            <FileRow
              id="ownership"
              title="Proof of ownership"
              hint="Shows who holds which share."
              state={{ look: 'bad', text: 'Missing' }}
              error={missing}
              form={
                <Form to="kyc/file/ownership" files="at_once">
                  <FileInput
                    id="ownership"
                    label="Proof of ownership"
                    accept={accept}
                    hasError
                    add="Add a photo or PDF"
                  />
                  <Button look="sm">Upload</Button>
                </Form>
              }
            />
          </ul>
        </section>
      </>
    ),
  };
}

function Fields() {
  return (
    <Form to="kyc/company" class="card">
      <TextField name="legalName" label="Legal name" hint="As registered." width="medium" />
      <TextField
        name="postalCode"
        label="Postal code"
        error="Enter the postal code."
        autocomplete="postal-code"
        width="short"
      />
      <RadioField
        name="entityType"
        label="Is the payer a company or a person?"
        value="business"
        choices={[
          { value: 'business', label: 'A company', hint: 'registered in any country' },
          { value: 'individual', label: 'A person', hint: 'paying in their own name' },
        ]}
      />
      <SelectField
        name="country"
        label="Country"
        empty="Choose"
        value="US"
        autocomplete="country"
        choices={[
          { value: 'BR', label: 'Brazil' },
          { value: 'US', label: 'United States' },
        ]}
      />
      <DateField
        name="dateOfBirth"
        label="Date of birth"
        hint="For example 3 6 1980."
        labels={{ day: 'Day', month: 'Month', year: 'Year' }}
        birth
      />
      <CheckField name="same" label="Same address as the company" hint="You need not type it." />
      <div class="actions gap">
        <Button look="primary">Save and continue</Button>
      </div>
    </Form>
  );
}
