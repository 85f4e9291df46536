package io.github.distlock.lab.processes;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The choice of ports.
 */
class PortPickerTests {

	private final PortPicker picker = new PortPicker(new Random());

	@Test
	void aFreePortIsPickedAsWished() {
		int free = new PortPicker(new Random()).pick(0);
		assertThat(this.picker.pick(free)).isEqualTo(free);
	}

	@Test
	void aPortIsNotPickedTwice() {
		int free = this.picker.pick(0);
		assertThat(this.picker.pick(free)).isNotEqualTo(free);
		Set<Integer> picked = new HashSet<>();
		for (int times = 0; times < 50; times++) {
			assertThat(picked.add(this.picker.pick(0))).isTrue();
		}
	}

	@Test
	void aPortThatAnotherLauncherHasPickedIsNotPicked() {
		assertThat(new PortPicker(new Random(7)).pick(0)).isNotEqualTo(new PortPicker(new Random(7)).pick(0));
	}

	@Test
	void aPortTakenOnAllAddressesIsNotPicked() throws IOException {
		try (ServerSocket taken = new ServerSocket(0)) {
			assertThat(this.picker.pick(taken.getLocalPort())).isNotEqualTo(taken.getLocalPort());
		}
	}

	@Test
	void aPortTakenOnTheLoopbackAddressIsNotPicked() throws IOException {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			assertThat(this.picker.pick(taken.getLocalPort())).isNotEqualTo(taken.getLocalPort());
		}
	}

	@Test
	void theUserIsToldOfAPortThatIsTaken() throws IOException {
		List<String> told = new ArrayList<>();
		try (ServerSocket taken = new ServerSocket(0)) {
			int port = new Ports(this.picker, true, told::add).pick(taken.getLocalPort());
			assertThat(told).containsExactly("Port %d is taken: using %d".formatted(taken.getLocalPort(), port));
		}
	}

	@Test
	void theUsualPortsAreLeftAloneWhereTheyAreNotWanted() {
		List<String> told = new ArrayList<>();
		int free = new PortPicker(new Random()).pick(0);
		assertThat(new Ports(this.picker, false, told::add).pick(free)).isNotEqualTo(free);
		assertThat(told).isEmpty();
	}

}
