"""What the executed lesson 0 must print, in this order."""

FACTS = ["PyTorch 2."]
