package io.github.distlock.backend.zookeeper;

import java.util.List;
import java.util.function.BiFunction;

import io.github.distlock.backend.Grant;
import io.github.distlock.backend.LockSignals;
import io.github.distlock.backend.Ticket;
import org.jspecify.annotations.Nullable;

/**
 * What ZooKeeper tells without being asked, and what follows from it. Nothing here
 * blocks.
 */
final class ZooKeeperSignals implements ZooKeeperLink.Events {

	private final Places places;

	private final Standing standing = new Standing(this::look);

	private final BiFunction<Place, TicketNode, Grant> grants;

	private volatile @Nullable LockSignals target;

	ZooKeeperSignals(Places places, BiFunction<Place, TicketNode, Grant> grants) {
		this.places = places;
		this.grants = grants;
	}

	Standing standing() {
		return this.standing;
	}

	void to(@Nullable LockSignals signals) {
		this.target = signals;
	}

	/** The node before has gone: is it our turn? */
	private void look(Place place) {
		TicketNode node = place.node();
		if (node == null || place.isGivenUp()) {
			return;
		}
		this.standing.isFirst(place, node, true).whenComplete((first, failure) -> {
			LockSignals signals = this.target;
			if (signals == null) {
				return;
			}
			if (failure != null) {
				signals.lookAgain(place.ticket);
			}
			else if (first && place.hold()) {
				signals.granted(place.ticket, this.grants.apply(place, node));
			}
		});
	}

	@Override
	public void inDoubt() {
		LockSignals signals = this.target;
		if (signals != null) {
			List<Ticket> held = this.places.all().filter(Place::isHeld).map((place) -> place.ticket).toList();
			if (!held.isEmpty()) {
				signals.renewNow(held);
			}
		}
	}

	@Override
	public void stillConnected() {
		this.places.departAgain();
	}

	@Override
	public void connected(boolean anew) {
		if (anew) {
			this.standing.forgetAll();
		}
		this.places.departAgain();
		inDoubt();
		LockSignals signals = this.target;
		if (signals != null) {
			signals.lookAgainAll();
		}
	}

}
