package io.github.distlock.aot;

import org.springframework.stereotype.Component;

/**
 * A bean and a type that a key expression uses.
 */
@Component("tenants")
class Tenants {

	public String current() {
		return "tenant";
	}

	public Owner owner() {
		return new Owner("owner");
	}

	public static String suffix() {
		return "suffix";
	}

	record Owner(String name) {
	}

}
