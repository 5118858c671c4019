-- Words: a command has a command end, and a party of the partner is a party and no receiver.

alter table partner_commands rename column order_end to command_end;
alter table partner_commands
  rename constraint partner_commands_order_end_check to partner_commands_command_end_check;

-- Facts of the partner and chosen outcomes, as JSON texts.
update inbox set facts = replace(facts, '"kind":"receiver"', '"kind":"party"')
  where facts like '%"kind":"receiver"%';
update simulated_reports set outcome = replace(outcome, '"kind":"receiver"', '"kind":"party"')
  where outcome like '%"kind":"receiver"%';
