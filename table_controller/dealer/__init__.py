"""The automatic dealer: messages (generated), framing, session and link (sans-IO), serial port, two simulators."""

from table_controller.dealer.driver import SerialLink
from table_controller.dealer.link import DealerLink
from table_controller.dealer.machine import Machine
from table_controller.dealer.plan import SealedPlan, verify
from table_controller.dealer.simulated import Simulated, open_simulated
from table_controller.dealer.stepped import SteppedLink

__all__ = ["DealerLink", "Machine", "SealedPlan", "SerialLink", "Simulated", "SteppedLink", "open_simulated", "verify"]
