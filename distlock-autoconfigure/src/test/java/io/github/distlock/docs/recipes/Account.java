package io.github.distlock.docs.recipes;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Version;

@SuppressWarnings("NullAway.Init")
@Entity
class Account {

	@Id
	String id;

	long balance;

	@Version
	long version;

}
