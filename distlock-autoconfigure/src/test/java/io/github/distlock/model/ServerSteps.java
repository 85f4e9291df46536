package io.github.distlock.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Steps of the network: commands are executed, replies and messages arrive. */
record ServerSteps(SearchSettings settings, ClientRules client, FaultSteps faults) {

	/** Add all steps. Answers whether one of them is due. */
	boolean add(World world, Successors out) {
		for (int i = 0; i < world.packets.size(); i++) {
			Packet packet = world.packets.get(i);
			if (!packet.isSent() || isRepeated(world.packets, i)) {
				continue;
			}
			if (packet.isExecuted()) {
				World next = world.copy();
				this.client.replyArrived(next, next.packets.remove(i));
				out.add(next, () -> ModelTicket.entryName(packet.entry) + " receives " + packet.result());
			}
			else if (!this.settings.ordered || !packet.isAwaited() || !overtakes(world, packet)) {
				addExecutions(world, i, out);
			}
		}
		for (int i = 0; i < world.messages.size(); i++) {
			Packet message = world.messages.get(i);
			World next = world.copy();
			next.messages.remove(i);
			String result = this.client.messageArrived(next, message);
			out.add(next, () -> "grant message " + ModelTicket.text(message.ticket) + ": " + result);
			if (this.faults.canHappen(world, NetworkFault.MESSAGE_LOST)) {
				World lost = world.copy();
				lost.messages.remove(i);
				lost.countFault();
				out.add(lost, () -> "FAULT grant message lost: " + ModelTicket.text(message.ticket));
			}
		}
		return world.packets.stream().anyMatch(Packet::isSent) || !world.messages.isEmpty();
	}

	private static boolean isRepeated(List<Packet> packets, int index) {
		for (int i = 0; i < index; i++) {
			if (packets.get(index).isSameAs(packets.get(i))) {
				return true;
			}
		}
		return false;
	}

	private void addExecutions(World world, int index, Successors out) {
		World next = world.copy();
		Packet executed = next.packets.get(index);
		execute(next, executed);
		if (!executed.isAwaited()) {
			next.packets.remove(executed);
		}
		out.add(next, () -> "server executes " + executed.result());
		if (executed.isAwaited() && this.faults.canHappen(world, NetworkFault.COPY)) {
			World copied = next.copy();
			copied.packets.remove(index);
			addLateCopy(copied, world.packets.get(index));
			out.add(copied,
					() -> "FAULT server executes " + executed.result() + ", reply lost, and a copy is on its way");
		}
		if (executed.isAwaited() && this.faults.canHappen(world, NetworkFault.DUPLICATE)) {
			World copied = next.copy();
			addLateCopy(copied, world.packets.get(index));
			out.add(copied, () -> "FAULT server executes " + executed.result() + ", and a copy is on its way");
		}
		if (executed.isAwaited() && this.faults.canHappen(world, NetworkFault.BROKEN_CONNECTION)) {
			out.add(brokenConnection(world, executed.entry),
					() -> "FAULT the connection of " + ModelTicket.entryName(executed.entry) + " breaks");
		}
		// The second cancel is sent once: if it is lost, the lease ends the grant.
		boolean secondCancel = executed.verb == Verb.CANCEL && !executed.isAwaited();
		if (!secondCancel && this.faults.canHappen(world, NetworkFault.COMMAND_LOST)) {
			World lost = world.copy();
			lost.packets.remove(index);
			lost.countFault();
			out.add(lost, () -> "FAULT command lost: " + executed);
		}
		if (executed.isAwaited() && this.faults.canHappen(world, NetworkFault.REPLY_LOST)) {
			World lost = next.copy();
			lost.packets.remove(index);
			lost.countFault();
			out.add(lost, () -> "FAULT server executes " + executed.result() + ", reply lost");
		}
	}

	/**
	 * The connection breaks: its commands may be executed at any later time, and commands
	 * of the next connection overtake them.
	 */
	private static World brokenConnection(World world, int entry) {
		World broken = world.copy();
		broken.packets.stream()
			.filter((packet) -> packet.entry == entry && packet.isAwaited() && !packet.isExecuted())
			.forEach((packet) -> packet.audience = Audience.COPY);
		broken.countFault();
		return broken;
	}

	private static void addLateCopy(World world, Packet unexecuted) {
		Packet late = unexecuted.copy();
		late.audience = Audience.COPY;
		world.packets.add(late);
		world.countFault();
	}

	/** Whether an earlier command of the same connection has not been executed. */
	private boolean overtakes(World world, Packet packet) {
		return world.packets.stream()
			.filter((other) -> other != packet && other.entry == packet.entry && !other.isExecuted() && other.isSent())
			.anyMatch((other) -> other.audience == Audience.GIVEN_UP && other.verb != Verb.LATE_WRITE
					|| !packet.isRenewal() && other.isRenewal() && other.isAwaited()
					|| isEarlierDeparture(other, packet));
	}

	/** Whether a release or cancel was sent before a command of a later ticket. */
	private boolean isEarlierDeparture(Packet other, Packet packet) {
		return !this.settings.has(Flaw.ATTEMPT_OVERTAKES_RELEASE) && other.isAwaited() && !other.repeated
				&& !(other.fallback && packet.ahead) && (other.verb == Verb.RELEASE || other.verb == Verb.CANCEL)
				&& ModelTicket.number(other.ticket) < ModelTicket.number(packet.ticket);
	}

	/** Run the script, and check what every script must keep. */
	private void execute(World world, Packet command) {
		StoreState before = world.store.copy();
		Packet unexecuted = command.copy();
		new LockScripts(this.settings, world, world.messages).run(command);
		if (command.verb == Verb.LATE_WRITE) {
			return;
		}
		StoreState after = world.store;
		checkNotRefusedByOwnRelease(world, command);
		if (before.owner != command.ticket && before.owner != 0
				&& (after.owner != before.owner || after.lastToken != before.lastToken
						|| !Arrays.equals(after.queueWithout(command.ticket), before.queueWithout(command.ticket)))) {
			throw new BrokenProperty("S3", "a ticket that is not the owner changed the store: " + unexecuted);
		}
		List<Packet> messages = new ArrayList<>();
		World repeated = world.copy();
		LockScripts again = new LockScripts(this.settings, repeated, messages);
		again.run(unexecuted);
		if (repeated.store.owner != after.owner || repeated.store.lastToken != after.lastToken
				|| !Arrays.equals(repeated.store.queue, after.queue) || again.published > 0) {
			throw new BrokenProperty("S4", "two executions in a row differ from one: " + unexecuted);
		}
	}

	/**
	 * Without a fault, a script does not attempt while the store has a ticket that this
	 * JVM has released. A native attempt may be refused then: its script follows that of
	 * the release.
	 */
	private void checkNotRefusedByOwnRelease(World world, Packet command) {
		int owner = world.store.owner;
		boolean faultless = world.faults == this.settings.faults && world.slowTicks == this.settings.slowTicks;
		if (faultless && command.verb == Verb.ATTEMPT && command.answer == Answer.WAITING
				&& ModelTicket.entry(owner) == command.entry && owner != command.ticket
				&& world.entries[command.entry].departure(owner) != null) {
			throw new BrokenProperty("order",
					"an attempt is refused by the ticket that its own JVM has released: " + command);
		}
	}

}
