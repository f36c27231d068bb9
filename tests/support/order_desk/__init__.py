"""An order desk that leaves its legacy on real servers, while its customers go on ordering.

The legacy is a PostgreSQL whose log Debezium brings to Kafka, and whose denial is that of
docs/rollout.md. Control database, read model and the new side's own orders are in a second one.
`python -m support.order_desk` tells the whole story.
"""

from support.order_desk.customers import Customers
from support.order_desk.desk import Desk
from support.order_desk.new_side import NewSide
from support.order_desk.story import Act, acts

__all__ = ["Act", "Customers", "Desk", "NewSide", "acts"]
