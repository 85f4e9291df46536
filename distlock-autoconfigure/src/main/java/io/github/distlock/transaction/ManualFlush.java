package io.github.distlock.transaction;

import jakarta.persistence.EntityManager;
import org.hibernate.FlushMode;
import org.hibernate.Session;

/**
 * Sessions of Hibernate that send nothing unless they are told to, not even at the
 * commit. Loaded only where Hibernate is.
 */
final class ManualFlush {

	private ManualFlush() {
	}

	/**
	 * Return whether a persistence context is a session that is flushed by hand.
	 */
	static boolean isWanted(EntityManager entities) {
		return entities instanceof Session session && session.getHibernateFlushMode() == FlushMode.MANUAL;
	}

}
