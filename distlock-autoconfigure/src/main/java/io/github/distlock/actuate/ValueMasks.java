package io.github.distlock.actuate;

import java.util.Set;

import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;

/**
 * Decides which callers see keys, hosts and callers.
 *
 * @param showValues when values are shown
 * @param roles the roles of which an authorized caller has one; if empty, each
 * authenticated caller is authorized
 * @param sanitizer masks further values
 */
public record ValueMasks(Show showValues, Set<String> roles, Sanitizer sanitizer) {

	ValueMask of(SecurityContext caller) {
		return new ValueMask(this.sanitizer, this.showValues.isShown(caller, this.roles));
	}

}
