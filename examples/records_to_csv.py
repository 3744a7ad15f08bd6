"""Turn the list on a page into a CSV file, one row per record."""

import csv
import sys
from pathlib import Path

import scythe

page = Path(__file__).with_name("tools.html").read_bytes()
best, *_ = scythe.read_lists(page, url="https://field.example/tools/")  # the list that the page is about comes first

out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow([*best.columns, "link"])
for record in best.records:
    out.writerow([*record.fields, *record.links[:1]])  # a field that a record lacks is empty, and moves no other

# Prints:
# title,text,price,availability,link
# "Snath scythe, ash","Bent by steam, two grips, fits blades up to 80 cm.",€54.00,In stock,https://field.example/...
# ...
