package io.github.distlock.model;

/** How a JVM renews the lease of its grant. */
final class RenewalRules {

	private final SearchSettings settings;

	RenewalRules(SearchSettings settings) {
		this.settings = settings;
	}

	/** Whether the JVM of an entry sends native commands. */
	boolean hasNativeCommands(World world, int entry) {
		return this.settings.nativeWords && !world.hasOnlyScripts(entry);
	}

	/** Send a renewal, as a native command first. */
	Packet renew(World world, int entry) {
		return renew(world, entry, hasNativeCommands(world, entry));
	}

	private Packet renew(World world, int entry, boolean nativeWord) {
		KeyEntry client = world.entries[entry];
		client.renewing = true;
		Packet renewal = new Packet(entry, Verb.RENEW, client.ticket);
		renewal.nativeWord = nativeWord;
		renewal.firstToken = client.lastToken;
		renewal.lastToken = client.lastToken;
		world.packets.add(renewal);
		return renewal;
	}

	void answered(World world, KeyEntry client, Packet reply) {
		client.renewing = false;
		if (!client.holds || client.ticket != reply.ticket) {
			return;
		}
		if (reply.answer == Answer.MISMATCH) {
			renew(world, reply.entry, false);
		}
		else if (reply.answer == Answer.GONE) {
			client.validity = 0;
		}
		else if (client.validity > 0) {
			client.validity = Math.max(client.validity, reply.validity);
		}
	}

}
